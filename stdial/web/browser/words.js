// Words and tables as DOM nodes. Text is only ever set as text: nothing is read as HTML.

export function make(tag, className = '', text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

const METHODS = ['grpo', 'dr-grpo', 'dapo', 'muted'];

function runNode(run, move) {
  if (typeof run === 'string') return document.createTextNode(run);
  const node = run.h ? make('a') : make(run.k ? 'code' : run.b ? 'strong' : run.i ? 'em' : 'span');
  node.textContent = run.t;
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
      if (node.childNodes[i].textContent !== text) node.childNodes[i].textContent = text;
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

export function tableNode(spec) {
  const box = make('div', `sd-scroll${spec.cards ? ' sd-cards' : ''}`);
  box.tabIndex = 0;
  if (spec.rows.length <= 24) box.style.maxHeight = 'none'; // only long tables scroll in their place
  box.setAttribute('role', 'group'); // no landmark: a page has many tables
  box.setAttribute('aria-label', spec.caption || 'Table');
  const table = box.appendChild(make('table', 'sd-table'));
  if (spec.caption) table.append(make('caption', '', spec.caption));
  const numeric = new Set(spec.numeric ?? []);
  const sentences = new Set(spec.sentences ?? []);
  const head = table.appendChild(make('thead')).appendChild(make('tr'));
  const body = table.appendChild(make('tbody'));
  const rows = spec.rows.map((cells, i) => ({ cells, i }));
  const fill = () => body.replaceChildren(...rows.map(({ cells, i }) => {
    const row = make('tr', i === spec.mark ? 'sd-mark' : '');
    cells.forEach((cell, j) => {
      const node = row.appendChild(make(j ? 'td' : 'th', numeric.has(j) ? 'sd-number' : sentences.has(j) ? 'sd-sentence' : ''));
      if (!j) node.scope = 'row';
      node.dataset.label = spec.columns[j];
      setRuns(node, Array.isArray(cell) ? cell : [cell === null ? '' : String(cell)]);
    });
    return row;
  }));
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
      const plain = ({ cells }) => (Array.isArray(cells[j]) ? cells[j].map((r) => r.t ?? r).join('') : cells[j]);
      rows.sort((a, b) => (up ? 1 : -1) * String(plain(a)).localeCompare(String(plain(b)), 'en', { numeric: true }));
      fill();
    });
  });
  fill();
  return box;
}
