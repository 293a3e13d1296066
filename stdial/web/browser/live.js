// One region of a page: words, controls, charts and tables from one JSON spec that Python made.
// A frame of a scrub is drawn from values that Python computed ahead; there is no mathematics here.
import { drawAsked, drawCards, withheld } from './ask.js';
import { drawCharts, lookOf, onTheme, restate } from './charts.js';
import { drawControls } from './controls.js';
import { drawShare } from './share.js';
import './shell.js';
import { drawWelcome } from './tour.js';
import { drawReadouts, drawTables, drawWords, make } from './words.js';

const NO_ANSWER = 'The server has not answered yet. What you set is kept, and counts as soon as it does.';
const LOST_UPLOAD = 'The server was replaced by another. Your settings came along; your file was in the old one’s memory only: '
  + 'please choose it again.';
const server = (window.stdialServer ??= { session: '', held: 0, lost: false }); // outlives this file: a new server may bring its own
try { // the page was opened anew for want of an answer
  server.lost ||= sessionStorage.getItem('stdial lost') !== null;
  sessionStorage.removeItem('stdial lost');
} catch { /* a browser that keeps nothing */ }
const elements = new WeakMap();
const all = new Set();
const frameStore = new Map(); // id -> frames, kept while the tab lives so that coming back needs no request
const MOST_FRAMES = 12;

// The connection was lost and is there again. Streamlit runs the page anew only where a part of it had run by itself before: a
// server that took over meanwhile knows nothing of this page, and would never answer.
window.addEventListener('message', (event) => {
  if (event.source !== window || event.data?.type !== 'WEBSOCKET_CONNECTED') return;
  for (const mount of all) if (mount.root.isConnected && mount.header?.address !== undefined) mount.callAgain();
});

export function show({ parentElement, data, setStateValue }) {
  if (!data) return;
  let element = elements.get(parentElement);
  if (!element) elements.set(parentElement, (element = new Element(parentElement.querySelector('.sd-stages'))));
  element.setState = setStateValue;
  element.receive(data);
}

// What Streamlit knows as one component: one region or several, one under the other.
class Element {
  constructor(root) {
    this.root = root;
    this.mounts = new Map();
    this.said = { move: {}, want: {} }; // by region, until it is answered
  }

  receive(data) {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    const [table, ...lines] = text.split('\n');
    const regions = JSON.parse(table);
    for (const [name, mount] of this.mounts) {
      if (!regions.some((one) => one[0] === name)) { mount.root.remove(); this.mounts.delete(name); }
    }
    let at = 0;
    regions.forEach(([name, count], i) => {
      let mount = this.mounts.get(name);
      if (!mount) this.mounts.set(name, (mount = new Mount(make('div', 'sd-stage'), (kind, said) => this.say(kind, name, said))));
      if (this.root.children[i] !== mount.root) this.root.insertBefore(mount.root, this.root.children[i] ?? null);
      mount.receive(...lines.slice(at, at + count));
      at += count;
    });
  }

  say(kind, name, said) {
    if (said) this.said[kind][name] = said; else delete this.said[kind][name];
    if (said) this.setState(kind, { ...this.said[kind] });
  }
}

class Mount {
  constructor(root, say) {
    this.root = root;
    this.say = say;
    this.parts = {};
    const left = this.root.appendChild(make('div', 'sd-left'));
    const right = this.root.appendChild(make('div', 'sd-right'));
    for (const name of ['words', 'asked', 'notes', 'readouts', 'primary', 'controls', 'share']) {
      this.parts[name] = left.appendChild(make('div', `sd-${name}`));
    }
    for (const name of ['first', 'charts']) this.parts[name] = right.appendChild(make('div', `sd-${name}`));
    this.parts.tables = this.root.appendChild(make('div', 'sd-tables'));
    this.parts.cards = this.root.appendChild(make('div', 'sd-cards-part'));
    this.parts.notes.setAttribute('role', 'status');
    this.path = location.pathname;
    this.last = 0; // number of the newest move sent
    this.waiting = 0; // the move whose answer is awaited, 0 when none is
    this.pending = {}; // values moved since
    this.sent = {}; // values sent and not yet answered
    this.controls = new Map();
    for (const other of all) if (!other.root.isConnected) all.delete(other);
    all.add(this);
    onTheme(this.root, () => {
      this.look = null;
      if (this.spec) this.draw(this.shown ?? this.spec);
    });
  }

  receive(head, body, extra) {
    const header = JSON.parse(head);
    clearTimeout(this.calling);
    if (extra) this.takeExtra(JSON.parse(extra));
    if (header.served) {
      this.say('want', null);
      this.wanting = '';
      if (this.asked && !frameStore.has(this.asked)) this.declined(header);
    }
    if (this.session && header.in !== this.session) { // the server went and another one answers: what it never saw is sent anew
      this.last = 0;
      this.asked = null;
      this.pending = { ...this.sent, ...this.pending };
    }
    this.session = header.in;
    if (header.held !== undefined) { // the page may have been built anew: this is known of the tab, not of a region
      server.lost = (server.lost || (server.held && server.session !== header.in)) && !header.held;
      Object.assign(server, { session: header.in, held: header.held });
    }
    if (header.ack < this.last) return; // an answer to an older move: a newer one is on its way
    this.waiting = 0;
    this.sent = {};
    this.say('move', null);
    clearTimeout(this.patience);
    this.header = header;
    if (header.address !== undefined) writeAddress(header.address);
    drawNotes(this.parts.notes, [...(header.notes ?? []), ...(header.held === 0 && server.lost ? [LOST_UPLOAD] : [])]);
    if (Object.keys(this.pending).length) {
      this.flush();
      return;
    }
    this.expect(Boolean(header.later));
    const frame = JSON.stringify([header.guess, header.asked, header.slides]);
    if (header.later && (this.spec || !body)) return; // what is shown stays until what follows it is there
    if (body !== this.body || this.shown || frame !== this.frame) {
      this.body = body;
      this.frame = frame;
      this.opened = false;
      this.spec = JSON.parse(body);
      this.shown = this.look = null;
      this.draw(this.spec);
    } else restate(this);
    this.askForFrames();
    clearTimeout(this.greeting);
    // A page that has run by itself once is run again by Streamlit where another server takes over: at once, with a file's loss told.
    if (header.whole && header.held) this.greeting = setTimeout(() => this.root.isConnected && this.want('hello'), 1000);
  }

  // The region is still being computed: what is shown is marked as not of now, and the server asked again after ever longer waits.
  expect(later) {
    clearTimeout(this.polling);
    this.root.setAttribute('aria-busy', later);
    this.root.classList.toggle('sd-later', later);
    this.polls = later ? (this.polls ?? 0) + 1 : 0;
    if (!later) return;
    this.polling = setTimeout(() => { // a file or code that is awaited is not forgotten for it
      if (this.root.isConnected) this.want(/^(csv|qr):/.test(this.wanting ?? '') ? this.wanting : 'later');
    }, Math.min(1500, 20 * 3 ** (this.polls - 1)));
  }

  draw(whole) {
    const hidden = Boolean(this.header.guess) && !this.opened;
    const spec = hidden ? withheld(whole) : whole;
    this.look ??= lookOf(this.root);
    this.root.classList.toggle('sd-withheld', hidden);
    this.root.classList.toggle('sd-dark', this.look.dark);
    for (const layout of ['wide', 'sheet', 'answers']) this.root.classList.toggle(`sd-${layout}`, spec.layout === layout);
    this.root.classList.toggle('sd-slides', Boolean(this.header.slides));
    this.root.classList.toggle('sd-has-primary', spec.controls.some((c) => c.primary));
    drawWords(this.parts.words, spec, (values) => this.move(values, true, true));
    if (this.header.address !== undefined) drawAsked(this, this.parts.asked, this.header.asked);
    drawReadouts(this.parts.readouts, spec.readouts);
    drawControls(this, spec.controls);
    drawCharts(this, spec.charts, this.parts.first, this.parts.charts);
    drawTables(this.parts.tables, spec.tables);
    drawCards(this.parts.cards, spec.cards);
    if (this.header.address !== undefined) drawShare(this, this.parts.share);
    if (this.header.welcome !== undefined) drawWelcome(this, this.header.welcome);
    this.root.dataset.ready = '1';
  }

  // The reader has guessed: what was withheld is drawn.
  reveal() {
    this.opened = true;
    this.draw(this.shown ?? this.spec);
  }

  // Marks a place on a chart: where the reader thinks the answer is. null takes the mark away.
  point(mark) {
    this.mark = mark;
    this.draw(this.shown ?? this.spec);
  }

  // The controls of all stages of the page, for the share dialog.
  everyControl() {
    return [...all].filter((one) => one.root.isConnected && one.spec).flatMap((one) => one.spec.controls);
  }

  // A control moved. `final` is false while it is being dragged or a key is held. What the sender locked moves only by links.
  move(given, final, free = false) {
    const locked = free ? [] : this.spec.controls.filter((one) => one.locked).map((one) => one.name);
    const values = Object.fromEntries(Object.entries(given).filter(([name]) => !locked.includes(name)));
    if (!Object.keys(values).length) return;
    const drawn = this.drawFrame(values);
    Object.assign(this.pending, values);
    clearTimeout(this.trailing);
    if (this.spec.scrub in values) {
      this.unframed = final || drawn ? 0 : (this.unframed ?? 0) + 1;
      if (this.unframed > 1) this.askForFrames(true);
    }
    if (final) this.flush();
    else if (drawn) this.trailing = setTimeout(() => this.flush(), 150);
    else if (!this.waiting) this.flush();
  }

  flush() {
    clearTimeout(this.trailing);
    clearTimeout(this.greeting);
    if (!Object.keys(this.pending).length) return;
    this.last = this.waiting = Math.max(this.last + 1, Date.now());
    Object.assign(this.sent, this.pending); // with what is not answered yet: it may have been lost
    this.pending = {};
    this.send(4000);
  }

  // Sends what is not answered; when nobody answers it says so, and sends it again after ever longer waits.
  send(patience) {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      if (!this.root.isConnected) return;
      this.waiting = 0;
      drawNotes(this.parts.notes, [NO_ANSWER]);
      if (Object.keys(this.pending).length) this.flush();
      else this.send(2 * patience);
    }, patience);
    this.say('move', { n: this.last, values: { ...this.sent } });
  }

  want(what) {
    if (location.pathname !== this.path) return; // the reader has left: a word for this page would get in the next one's way
    this.wanting = what;
    this.say('want', { n: Date.now(), what });
  }

  // Asks whether the page is known to whoever answers now; where nobody does, it is opened anew with what was set meanwhile.
  callAgain() {
    this.want('hello');
    clearTimeout(this.calling);
    const patience = server.held ? 20000 : this.header.whole ? 3000 : 6000; // a new server answers no page that had not run by itself
    this.calling = setTimeout(() => {
      if (!this.root.isConnected) return;
      try { if (server.held) sessionStorage.setItem('stdial lost', '1'); } catch { /* the page opens without the note */ }
      const query = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries({ ...this.sent, ...this.pending })) {
        query.set(name, typeof value === 'boolean' ? Number(value) : value);
      }
      location.replace(`${location.pathname}?${query}${location.hash}`);
    }, patience); // with the page goes a file that a slow server may still hold
  }

  // Frames are much work for a server: by themselves come only those that are at hand or everybody's first; others when a slider
  // is dragged, a key held or a player started.
  askForFrames(used = false) {
    const id = this.header.frames;
    if (!id || frameStore.has(id) || this.asked === id || this.header.busy || !(used || this.header.ahead)) return;
    this.asked = id;
    setTimeout(() => this.header.frames === id && this.want('frames'), used ? 0 : 60);
  }

  // The server had no time for frames: they are asked for again when they are used, or after ever longer waits.
  declined(header) {
    this.asked = null;
    this.delay = Math.min(2 * (this.delay ?? 500), 16000);
    if (header.ahead) setTimeout(() => this.root.isConnected && this.askForFrames(), this.delay);
  }

  takeExtra(extra) {
    if (extra.frames) {
      const { id, values, packed, vary } = extra.frames;
      const arrays = Object.entries(packed).map(([path, a]) => [path.split('/'), floats(a.bdata)]);
      const lists = Object.entries(vary).map(([path, list]) => [path.split('/'), list]);
      if (frameStore.size >= MOST_FRAMES) frameStore.delete(frameStore.keys().next().value);
      frameStore.set(id, { index: new Map(values.map((v, i) => [v, i])), values, arrays, lists });
      this.root.dataset.frames = values.length;
    }
    if (extra.qr) this.dialog?.takeCode(extra.qr);
    if (extra.csv) {
      const found = this.awaited?.[extra.csv.chart];
      if (found) { delete this.awaited[extra.csv.chart]; found(extra.csv.text); }
    }
  }

  // The text of a chart's data; made by Python when it is asked for.
  csv(chart) {
    return new Promise((resolve) => {
      (this.awaited ??= {})[chart] = resolve;
      this.want(`csv:${chart}`);
    });
  }

  frames() {
    return this.header && frameStore.get(this.header.frames);
  }

  // Draws the frame of a scrubbed value when Python has computed it; says whether it did.
  drawFrame(values) {
    const name = this.spec?.scrub;
    const frames = this.frames();
    if (!name || !frames || !(name in values) || Object.keys(values).length > 1) return false;
    const i = frames.index.get(values[name]);
    if (i === undefined) return false;
    this.wanted = i;
    if (!this.drawing) { // at once; what comes before the next frame of the screen is drawn with that
      this.drawing = true;
      this.drawIndex(i, frames);
      requestAnimationFrame(() => {
        this.drawing = false;
        if (this.wanted !== i) this.drawIndex(this.wanted, frames);
      });
    }
    return true;
  }

  drawIndex(i, frames) {
    const spec = structuredClone(this.spec);
    for (const [path, all] of frames.arrays) {
      const n = all.length / frames.values.length;
      place(spec, path, all.subarray(i * n, (i + 1) * n));
    }
    for (const [path, list] of frames.lists) place(spec, path, list[i]);
    this.shown = spec;
    this.draw(spec);
  }
}

function place(tree, path, value) {
  let node = tree;
  for (const key of path.slice(0, -1)) node = node[key];
  node[path[path.length - 1]] = value;
}

function floats(text) {
  return new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
}

function drawNotes(node, notes) {
  const text = notes.join('\n');
  if (node.dataset.text === text) return;
  node.dataset.text = text;
  node.replaceChildren(...notes.map((note) => make('p', '', note)));
}

// The address always says what is shown; replacing it adds no history entry.
function writeAddress(query) {
  const kept = new URLSearchParams(location.search);
  const next = new URLSearchParams(query);
  for (const name of ['embed', 'embed_options']) for (const value of kept.getAll(name)) next.append(name, value);
  for (const a of document.querySelectorAll('.st-key-nav a')) {  // a page opened in a new tab gets the state too
    const to = new URL(a.getAttribute('href') || '.', document.baseURI); // the home page's is empty
    to.search = to.pathname === location.pathname ? query : travelling(query);
    a.setAttribute('href', to.pathname + to.search);
  }
  const want = `${location.pathname}?${next}${location.hash}`;
  if (location.pathname + location.search + location.hash !== want) history.replaceState(history.state, '', want);
}

// What a sender chose for one page stays there, but for the large type.
function travelling(query) {
  const next = new URLSearchParams(query);
  for (const name of ['lesson', 'lock', 'hide', 'guess', 'title', 'ask']) next.delete(name);
  return `${next}`;
}
