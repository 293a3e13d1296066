// Words and tables as DOM nodes. Text is only ever set as text: nothing is read as HTML.

export function make(tag, className = '', text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

const METHODS = ['grpo', 'dr-grpo', 'dapo', 'muted'];

// A program's name may break after its joints, before it breaks inside a word.
function write(node, run) {
  if (!run.k) { node.textContent = run.t ?? run; return; }
  const parts = run.t.split(/([^_./=-]*[_./=-]+)/).filter(Boolean).flatMap((part) => [make('wbr'), document.createTextNode(part)]);
  node.replaceChildren(...parts.slice(1));
}

function runNode(run, move) {
  if (typeof run === 'string') return document.createTextNode(run);
  const node = run.h ? make('a') : make(run.k ? 'code' : run.b ? 'strong' : run.i ? 'em' : 'span');
  write(node, run);
  if (METHODS.includes(run.c)) node.classList.add(`sd-${run.c}`);
  if (run.h) {
    const href = new URL(run.h, document.baseURI);
    if (href.origin === location.origin) node.href = href;
    if (run.sets) node.addEventListener('click', (e) => {  // the same page: no reload; with a modifier key it is a plain link
      if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
      e.preventDefault();
      move(run.sets, true);
      document.querySelector('[data-testid=stMain]')?.scrollTo({ top: 0 });
    });
    // Written when the page was opened: opened in a new tab or copied, it takes along what was moved since.
    if (run.sets) for (const kind of ['pointerenter', 'focus']) node.addEventListener(kind, () => {
      for (const [name, value] of new URLSearchParams(location.search)) {
        if (!(name in run.sets) && name !== 'marks') href.searchParams.set(name, value);
      }
      node.href = href;
    });
  }
  return node;
}

// Sets a line of runs; texts change in place where the structure is the same, so nothing flickers.
export function setRuns(node, runs, move) {
  const shape = runs.map((r) => (typeof r === 'string' ? '' : `${r.b ?? ''}${r.c ?? ''}${r.k ?? ''}${r.i ?? ''}${r.h ?? ''}${JSON.stringify(r.sets ?? '')}`)).join('|');
  if (node.dataset.shape === shape && node.childNodes.length === runs.length) {
    runs.forEach((run, i) => {
      const text = typeof run === 'string' ? run : run.t;
      if (node.childNodes[i].textContent !== text) write(node.childNodes[i], run);
    });
    return;
  }
  node.dataset.shape = shape;
  node.replaceChildren(...runs.map((run) => runNode(run, move)));
}

function keep(parent, slot, tag, className, wanted) {
  let node = parent.querySelector(`:scope > [data-slot="${slot}"]`);
  if (!wanted) { node?.remove(); return null; }
  if (!node) {
    node = make(tag, className);
    node.dataset.slot = slot;
    parent.append(node);
  }
  return node;
}

export function drawWords(parent, spec, move) {
  const title = keep(parent, 'title', spec.title ? 'h1' : 'h2', 'sd-title', spec.title || spec.heading);
  if (title) setRuns(title, [spec.title || spec.heading]);
  const answer = keep(parent, 'answer', 'p', 'sd-answer', spec.answer.length);
  if (answer) setRuns(answer, spec.answer, move);
  const text = keep(parent, 'text', 'div', 'sd-text', spec.text.length);
  if (text) {
    while (text.children.length > spec.text.length) text.lastChild.remove();
    spec.text.forEach((runs, i) => setRuns(text.children[i] ?? text.appendChild(make('p')), runs, move));
  }
  parent.hidden = !parent.children.length;
}

export function drawReadouts(parent, readouts) {
  const outs = parent.firstChild ?? parent.appendChild(make('dl'));
  while (outs.children.length > readouts.length) outs.lastChild.remove();
  readouts.forEach(([label, value, color], i) => {
    const box = outs.children[i] ?? outs.appendChild(make('div'));
    if (!box.children.length) box.append(make('dt'), make('dd'));
    setRuns(box.children[0], [label]);
    setRuns(box.children[1], [{ t: value, b: 1, c: color }]);
  });
  parent.hidden = !readouts.length;
}

export function drawTables(parent, tables) {
  const text = JSON.stringify(tables);
  if (parent.dataset.text === text) return;
  parent.dataset.text = text;
  parent.replaceChildren(...tables.map(tableNode));
  parent.hidden = !tables.length;
}

const PHONE = matchMedia('(max-width: 639.9px)');
const FOLDED = 8; // more cards than this are a list that opens
const TALL = 24; // more rows than this scroll in their place

// A table in a frame that shows where it goes on: a line of words, a shadow at the edge, and the first column stays.
export function tableNode(spec) {
  const frame = make('div', 'sd-frame');
  const hint = frame.appendChild(make('p', 'sd-more'));
  const box = frame.appendChild(make('div', `sd-scroll${spec.cards ? ' sd-cards' : ''}${spec.rows.length > TALL ? ' sd-tall' : ''}`));
  const table = box.appendChild(make('table', 'sd-table'));
  if (spec.caption) table.appendChild(make('caption')).append(make('span', '', spec.caption));
  const numeric = new Set(spec.numeric ?? []);
  const sentences = new Set(spec.sentences ?? []);
  const head = table.appendChild(make('thead')).appendChild(make('tr'));
  const body = table.appendChild(make('tbody'));
  const rows = spec.rows.map((cells, i) => ({ cells, i }));
  const folds = Boolean(spec.cards) && spec.rows.length > FOLDED;
  const opened = new Set(folds ? [spec.mark] : []);
  const cellOf = (tag, j, cell) => {
    const node = make(tag, numeric.has(j) ? 'sd-number' : sentences.has(j) ? 'sd-sentence' : '');
    node.dataset.label = spec.columns[j];
    setRuns(node, Array.isArray(cell) ? cell : [cell === null ? '' : String(cell)]);
    return node;
  };
  const rowOf = ({ cells, i }) => {
    const row = make('tr', i === spec.mark ? 'sd-mark' : '');
    cells.forEach((cell, j) => row.append(cellOf(j ? 'td' : 'th', j, cell)));
    row.firstChild.scope = 'row';
    if (folds && PHONE.matches) fold(row, opened, i, plain(cells[1]));
    return row;
  };
  const fill = () => body.replaceChildren(...rows.map(rowOf));
  spec.columns.forEach((name, j) => {
    const th = head.appendChild(make(name ? 'th' : 'td', numeric.has(j) ? 'sd-number' : '')); // an empty head is no head
    if (name) th.scope = 'col';
    if (!spec.sortable) { th.textContent = name; return; }
    const button = th.appendChild(make('button', '', name));
    button.type = 'button';
    button.addEventListener('click', () => {
      const up = th.getAttribute('aria-sort') !== 'ascending';
      for (const other of head.children) other.removeAttribute('aria-sort');
      th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      rows.sort((a, b) => (up ? 1 : -1) * plain(a.cells[j]).localeCompare(plain(b.cells[j]), 'en', { numeric: true }));
      fill();
    });
  });
  if (folds) {
    table.classList.add('sd-folds');
    frame.insertBefore(everyCard(opened, rows, fill), box);
    PHONE.addEventListener('change', () => frame.isConnected && fill());
  }
  fill();
  watchEdges(frame, box, hint, spec.caption);
  return frame;
}

function plain(cell) {
  return Array.isArray(cell) ? cell.map((run) => run.t ?? run).join('') : String(cell ?? '');
}

// On a phone a card of many is its head, which opens it; beside the head stands the first fact.
function fold(row, opened, i, fact) {
  const head = row.firstChild;
  const button = make('button', 'sd-fold');
  button.type = 'button';
  const name = make('span');
  name.append(...head.childNodes);
  button.append(name, make('span', 'sd-muted', fact));
  head.append(button);
  const show = () => {
    row.classList.toggle('sd-open', opened.has(i));
    button.setAttribute('aria-expanded', String(opened.has(i)));
  };
  button.addEventListener('click', () => { opened.has(i) ? opened.delete(i) : opened.add(i); show(); });
  show();
}

// Opens or closes all cards of a list; seen on a phone only.
function everyCard(opened, rows, fill) {
  const button = make('button', 'sd-button sd-every', `Open all ${rows.length}`);
  button.type = 'button';
  button.addEventListener('click', () => {
    const all = opened.size < rows.length;
    opened.clear();
    if (all) rows.forEach(({ i }) => opened.add(i));
    button.textContent = all ? 'Close all' : `Open all ${rows.length}`;
    fill();
  });
  return button;
}

// Says and shows where a table goes on; only one that scrolls is a stop of the keyboard, and a region with a name of its own.
function watchEdges(frame, box, hint, caption) {
  let [wide, width] = [false, 0];
  const look = () => {
    if (frame.clientWidth !== width) [wide, width] = [false, frame.clientWidth];
    const over = box.scrollWidth - box.clientWidth > 1;
    wide ||= over; // what the class does to the first column may end the need for it: without memory the two take turns
    frame.classList.toggle('sd-over', wide);
    const under = box.scrollHeight - box.clientHeight > 1;
    frame.classList.toggle('sd-from-left', over && box.scrollLeft > 1);
    frame.classList.toggle('sd-to-right', over && box.scrollLeft < box.scrollWidth - box.clientWidth - 1);
    frame.classList.toggle('sd-to-bottom', under && box.scrollTop < box.scrollHeight - box.clientHeight - 1);
    hint.textContent = over ? `Scroll for more columns${under ? ' and rows' : ''}` : 'Scroll for more rows';
    hint.hidden = !(over || under);
    if (hint.hidden) ['tabindex', 'role', 'aria-label'].forEach((name) => box.removeAttribute(name));
    else if (!box.hasAttribute('role')) {
      box.tabIndex = 0;
      box.setAttribute('role', 'region');
      box.setAttribute('aria-label', unique(caption || frame.closest('.sd-stage')?.querySelector('.sd-title')?.textContent || 'Table'));
    }
  };
  box.addEventListener('scroll', look, { passive: true });
  const seen = new ResizeObserver(look);
  seen.observe(box);
  seen.observe(box.firstChild);
}

function unique(label) {
  const taken = new Set([...document.querySelectorAll('.sd-scroll[role=region]')].map((one) => one.getAttribute('aria-label')));
  let name = label;
  for (let n = 2; taken.has(name); n += 1) name = `${label}, ${n}`;
  return name;
}
