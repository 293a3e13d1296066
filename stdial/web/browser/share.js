// The share dialog: which values travel, what the receiver can move, a guess, the sender's words; link, embed code, QR code.
import { DEFAULTS, LABELS } from './params.js';
import { make } from './words.js';

const COURTESIES = ['lock', 'hide', 'guess', 'title', 'ask', 'slides', 'v', 'n', 'embed', 'embed_options'];
const FREEDOM = [['', 'can be moved'], ['lock', 'locked'], ['hide', 'hidden']];
const embedded = () => new URLSearchParams(location.search).getAll('embed').includes('true');

export function drawShare(mount, node) {
  if (node.children.length) return;
  if (embedded()) {
    const link = node.appendChild(make('a', 'sd-open', 'Open this page in full'));
    const aim = () => { link.href = location.href.replace(/([?&])embed(_options)?=[^&]*&?/g, '$1').replace(/[?&]$/, ''); };
    Object.assign(link, { target: '_blank', rel: 'noopener' });
    for (const kind of ['pointerdown', 'focus']) link.addEventListener(kind, aim);
    aim();
    return;
  }
  const row = node.appendChild(make('div', 'sd-buttons'));
  row.append(copier('Copy link', () => location.href, 'Link copied'));
  const open = row.appendChild(make('button', 'sd-button', 'Share'));
  open.type = 'button';
  open.setAttribute('aria-haspopup', 'dialog');
  open.addEventListener('click', () => {
    mount.dialog?.box.remove();
    mount.dialog = new Dialog(mount);
    node.append(mount.dialog.box);
    mount.dialog.box.showModal();
  });
}

// A button that copies a text; where the browser forbids it, the text is offered for copying by hand.
function copier(label, text, done) {
  const button = make('button', 'sd-button', label);
  button.type = 'button';
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
    if (!copied) prompt('Copy this:', text());
    button.textContent = done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
  return button;
}

class Dialog {
  constructor(mount) {
    this.mount = mount;
    this.box = make('dialog', 'sd-dialog');
    this.box.setAttribute('aria-labelledby', 'sd-dialog-title');
    const head = this.box.appendChild(make('div', 'sd-dialog-head'));
    head.append(Object.assign(make('h2', '', 'Share this page'), { id: 'sd-dialog-title' }));
    const close = head.appendChild(make('button', 'sd-button', 'Close'));
    close.type = 'button';
    close.addEventListener('click', () => this.box.close());
    this.box.addEventListener('click', (e) => e.target === this.box && this.box.close());
    this.address = new URLSearchParams(mount.header.address);
    const columns = this.box.appendChild(make('div', 'sd-dialog-columns'));
    this.choices = columns.appendChild(make('div'));
    this.results = columns.appendChild(make('div'));
    this.drawValues();
    this.drawWords();
    this.drawResults();
    this.changed();
  }

  // One row a value: whether it travels, and whether the receiver can move it.
  drawValues() {
    const set = this.choices.appendChild(make('fieldset', 'sd-carry'));
    set.append(make('legend', '', 'What the link carries'));
    const held = (name) => (this.address.get(name) ?? '').split(',');
    const specs = this.mount.everyControl().filter((spec) => spec.kind !== 'button');
    const movable = new Set([...specs.flatMap((spec) => [spec.name, spec.upper]), ...held('lock'), ...held('hide')]);
    this.values = [...new Set(this.address.keys())].filter((name) => !COURTESIES.includes(name)).map((name) => {
      const row = set.appendChild(make('div', 'sd-carry-row'));
      const label = row.appendChild(make('label', 'sd-check'));
      const input = label.appendChild(Object.assign(make('input'), { type: 'checkbox', checked: true }));
      const spec = specs.find((one) => one.name === name || one.upper === name);
      const words = LABELS[name] ?? spec?.label ?? name;
      const chosen = spec?.options?.find(([value]) => value === this.address.get(name));
      const shown = short(chosen ? chosen[1] : this.address.get(name));
      label.append(make('span', '', `${words}: ${shown}`));
      input.addEventListener('change', () => this.changed());
      const matters = Boolean(spec) || this.address.get(name) !== DEFAULTS[name]; // what has a control here, or is set
      const value = { name, words, shown, text: this.address.get(name), input, matters };
      if (movable.has(name)) {
        const select = row.appendChild(make('select'));
        select.setAttribute('aria-label', `${words} for the receiver`);
        for (const [key, text] of FREEDOM) select.append(Object.assign(make('option', '', text), { value: key }));
        select.value = held('hide').includes(name) ? 'hide' : held('lock').includes(name) ? 'lock' : '';
        select.addEventListener('change', () => this.changed());
        value.select = select;
      }
      return value;
    });
    this.choices.append(make('p', 'sd-hint', 'What is not ticked opens at its default. A lock is a courtesy: the link can be edited by hand.'));
  }

  drawWords() {
    const check = (name, words) => {
      const label = this.choices.appendChild(make('label', 'sd-check'));
      const input = label.appendChild(Object.assign(make('input'), { type: 'checkbox', checked: this.address.get(name) === '1' }));
      label.append(make('span', '', words));
      input.addEventListener('change', () => this.changed());
      return input;
    };
    const field = (tag, name, words, most) => {
      const label = this.choices.appendChild(make('label', 'sd-field'));
      label.append(make('span', 'sd-label', words));
      const input = label.appendChild(make(tag));
      Object.assign(input, { maxLength: most, value: this.address.get(name) ?? '' });
      if (tag === 'textarea') input.rows = 3;
      input.addEventListener('input', () => this.changed());
      return input;
    };
    this.guess = check('guess', 'Hide the answer until a guess, charts too (a courtesy, no secret)');
    this.slides = check('slides', 'Large type, for a projector');
    this.title = field('input', 'title', 'Your title, shown as the sender’s', 80);
    this.ask = field('textarea', 'ask', 'Your question, shown as the sender’s', 280);
  }

  drawResults() {
    const out = (tag, words, done) => {
      const label = this.results.appendChild(make('label', 'sd-field'));
      label.append(make('span', 'sd-label', words));
      const node = label.appendChild(make(tag));
      node.readOnly = true;
      if (tag === 'textarea') node.rows = 4;
      node.addEventListener('focus', () => node.select());
      this.results.appendChild(make('div', 'sd-buttons')).append(copier(`Copy ${done}`, () => node.value, 'Copied'));
      return node;
    };
    this.preview = this.results.appendChild(make('section', 'sd-preview'));
    this.preview.setAttribute('aria-label', 'What the receiver sees');
    this.link = out('input', 'Link', 'this link');
    this.link.classList.add('sd-link');
    this.embed = out('textarea', 'Embed code, for a course page', 'embed code');
    this.code = this.results.appendChild(make('div', 'sd-qr'));
  }

  query() {
    const query = new URLSearchParams();
    for (const { name, text, input } of this.values) if (input.checked) query.set(name, text);
    for (const [key] of FREEDOM.slice(1)) {
      const names = this.values.filter(({ select }) => select?.value === key).map(({ name }) => name);
      if (names.length) query.set(key, names.join(','));
    }
    if (this.guess.checked) query.set('guess', '1');
    if (this.slides.checked) query.set('slides', '1');
    for (const name of ['title', 'ask']) if (this[name].value.trim()) query.set(name, this[name].value.trim());
    query.set('v', '1');
    return query;
  }

  changed() {
    const url = `${location.origin}${location.pathname}?${this.query()}`;
    this.link.value = url;
    const safe = (text) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
    this.embed.value = `<iframe src="${safe(`${url}&embed=true`)}" title="${safe(this.heading())}" width="100%" height="720" style="border:0" loading="lazy"></iframe>`;
    this.drawPreview();
    clearTimeout(this.later);
    this.code.classList.add('sd-stale');
    this.later = setTimeout(() => this.box.open && this.mount.want(`qr:${url}`), 350);
  }

  heading() {
    return this.title.value.trim() || document.querySelector('h1')?.textContent || document.title;
  }

  drawPreview() {
    const say = (name, node) => { if (node) this.preview.append(node); };
    this.preview.replaceChildren(make('h3', '', 'What the receiver sees'));
    say('page', make('p', 'sd-preview-page', document.querySelector('h1')?.textContent ?? ''));
    if (this.title.value.trim() || this.ask.value.trim()) {
      const quote = make('blockquote');
      if (this.title.value.trim()) quote.append(make('strong', '', this.title.value.trim()));
      if (this.ask.value.trim()) quote.append(make('p', '', this.ask.value.trim()));
      say('words', quote);
    }
    const told = this.values.filter(({ matters }) => matters).map(({ words, shown, input, select }) => {
      const freedom = { lock: ', locked', hide: ', no control' }[select?.value] ?? '';
      return `${words} ${input.checked ? shown : 'at its default'}${freedom}`;
    });
    if (told.length) say('values', make('p', '', `${told.join('; ')}.`));
    say('guess', make('p', '', this.guess.checked
      ? 'Before a guess: the question and the controls, and at most empty axes. After it: the answer, its numbers and the charts. The link goes on asking whoever gets it.'
      : 'The answer is there at once.'));
  }

  // The code that Python made for one address; an older one is left alone.
  takeCode({ of, path, size }) {
    if (of !== this.link.value) return;
    this.code.classList.remove('sd-stale');
    if (!size) { this.code.replaceChildren(make('p', 'sd-hint', 'The link is too long for a QR code that a phone can read.')); return; }
    const draw = (tag, given) => {
      const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const [key, value] of Object.entries(given)) node.setAttribute(key, value);
      return node;
    };
    const picture = draw('svg', { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': 'QR code of the link' });
    picture.append(draw('rect', { width: size, height: size, fill: '#fff' }), draw('path', { d: path, fill: '#000' }));
    this.code.replaceChildren(picture);
  }
}

const short = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text || 'none');
