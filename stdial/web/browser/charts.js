// Plotly on the node that is already there: zoom stays and nothing flickers.
import { DARK } from './palette.js';
import { make, tableNode } from './words.js';

// The loader of the component asked for Plotly's file already.
function plotly() {
  return window.stdialPlotly.then(() => window.Plotly);
}

const NARROW = 520;

function isDark(node) {
  const color = getComputedStyle(node).getPropertyValue('--st-background-color').trim() || '#fff';
  const probe = color.match(/^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i);
  const parts = probe ? probe.slice(1).map((h) => parseInt(h, 16)) : (color.match(/\d+/g) ?? [255, 255, 255]).map(Number);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] < 128;
}

// What every chart of a region is drawn with. Asking costs a recalculation of styles: once for many drawings.
export function lookOf(node) {
  return { dark: isDark(node), font: getComputedStyle(node).getPropertyValue('--st-font') || 'sans-serif' };
}

export function onTheme(node, redraw) {
  let dark = isDark(node);
  const check = () => {
    const now = isDark(node);
    if (now !== dark) { dark = now; redraw(); }
  };
  const watch = new MutationObserver(() => requestAnimationFrame(check));
  for (let up = node, i = 0; up && i < 12; up = up.parentElement, i++) watch.observe(up, { attributes: true, attributeFilter: ['style', 'class'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTimeout(check, 300));
}

// Colours of the light theme become their partners; numbers and long arrays are passed through untouched.
function themed(value, dark) {
  if (typeof value === 'string') {
    if (!dark || value[0] !== '#') return value;
    const partner = DARK[value.slice(0, 7).toUpperCase()];
    return partner ? partner + value.slice(7) : value;
  }
  if (!value || typeof value !== 'object' || ArrayBuffer.isView(value) || 'bdata' in value) return value;
  if (Array.isArray(value)) return typeof value[0] === 'number' ? value : value.map((v) => themed(v, dark));
  const out = {};
  for (const key of Object.keys(value)) out[key] = themed(value[key], dark);
  return out;
}

function narrowed(layout, patch) {
  const out = structuredClone(layout);
  for (const [path, value] of Object.entries(patch)) {
    const keys = path.split('.');
    let node = out;
    for (const key of keys.slice(0, -1)) node = node[key] ??= {};
    node[keys[keys.length - 1]] = value;
  }
  return out;
}

export function drawCharts(mount, charts, first, rest) {
  mount.figures ??= [];
  while (mount.figures.length > charts.length) mount.figures.pop().remove();
  first.hidden = !charts.length; // before the drawing, which asks for widths
  rest.hidden = charts.length < 2;
  charts.forEach((chart, i) => {
    const figure = mount.figures[i] ?? (mount.figures[i] = newFigure(mount));
    const home = i === 0 ? first : rest;
    if (figure.parentElement !== home) home.append(figure);
    drawChart(mount, figure, chart);
  });
}

function newFigure(mount) {
  const figure = make('figure', 'sd-figure');
  const node = figure.appendChild(make('div', 'sd-chart'));
  node.setAttribute('role', 'img');
  const foot = figure.appendChild(make('div', 'sd-foot'));
  foot.append(make('figcaption'), tools(mount, figure));
  new ResizeObserver(() => {
    figure.room = node.clientWidth;
    if (figure.chart && Math.abs(figure.room - (figure.width ?? 0)) > 1) drawChart(mount, figure, figure.chart);
  }).observe(node);
  node.addEventListener('pointerdown', (down) => {  // while the button is down, Plotly covers the page: listen above it
    window.addEventListener('pointerup', (up) => {
      if (Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) < 6) tap(mount, figure, up);
    }, { capture: true, once: true });
  }, true);
  return figure;
}

function tap(mount, figure, event) {
  const asking = mount.asking?.chart === figure.chart?.name ? mount.asking : null;
  const rule = asking ? asking.rule : figure.chart?.tap;
  const node = figure.firstChild;
  if (!rule || !node._fullLayout) return;
  const axis = node._fullLayout[rule.axis ?? 'xaxis'];
  const area = node.querySelector('.nsewdrag')?.getBoundingClientRect();
  if (!area || event.clientX < area.left || event.clientX > area.right || event.clientY < area.top || event.clientY > area.bottom) return;
  let value = axis.p2d(event.clientX - area.left);
  const step = rule.step ?? 0.01;
  value = Math.round(value / step) * step;
  value = Number(Math.min(rule.high ?? Infinity, Math.max(rule.low ?? -Infinity, value)).toFixed(6));
  if (asking) asking.take(value);
  else mount.move({ [rule.x]: value }, true);
}

// Where the reader thinks the answer is.
function marked(layout, mark) {
  const line = { type: 'line', x0: mark.x, x1: mark.x, y0: 0, y1: 1, yref: 'paper', line: { color: '#1F2328', width: 2, dash: 'dot' } };
  const label = { x: mark.x, y: 0.98, yref: 'paper', text: 'your guess', showarrow: false, xanchor: 'left', yanchor: 'top', xshift: 6, font: { color: '#1F2328', size: 13 } };
  return { ...layout, shapes: [...(layout.shapes ?? []), line], annotations: [...(layout.annotations ?? []), label] };
}

// For a projector: every lettering a third larger, and the margins with it.
const LARGER = 1.35;
function enlarged(value, key) {
  if (Array.isArray(value)) return value.map((item) => enlarged(item));
  if (!value || typeof value !== 'object' || 'bdata' in value) return value;
  if (key === 'margin') return Object.fromEntries(Object.entries(value).map(([side, n]) => [side, Math.round(n * LARGER)]));
  if (key === 'font' && value.size) return { ...value, size: Math.round(value.size * LARGER) };
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, enlarged(v, name)]));
}

function ranges(node) {
  const found = {};
  for (const key of Object.keys(node._fullLayout ?? {})) {
    if (/^[xy]axis\d*$/.test(key)) found[key] = [...(node._fullLayout[key].range ?? [])];
  }
  return found;
}

// What a chart shows, with the page's group size where the chart itself does not depend on it.
function stated(mount, chart) {
  const G = mount.header.G;
  return JSON.stringify(G === undefined ? chart.shows : { G, ...chart.shows });
}

export function restate(mount) {
  for (const figure of mount.figures ?? []) {
    const node = figure.firstChild;
    if (figure.chart && node.dataset.shows) node.dataset.shows = stated(mount, figure.chart);
  }
}

// A zoom made since the last draw stays, however it was made.
function keepZoom(figure, node, layout) {
  if (!figure.ranges || figure.revision !== layout.uirevision) { figure.zoom = {}; return; }
  figure.zoom ??= {};
  for (const [axis, now] of Object.entries(ranges(node))) {
    const before = figure.ranges[axis];
    if (before && now.some((x, i) => x !== before[i])) figure.zoom[axis] = now;
    const given = figure.given?.[axis];
    if (figure.zoom[axis] && given && now.every((x, i) => x === given[i])) delete figure.zoom[axis];
  }
  figure.given = Object.fromEntries(Object.entries(layout).filter(([key]) => /^[xy]axis\d*$/.test(key)).map(([key, a]) => [key, a.range]));
  for (const [axis, range] of Object.entries(figure.zoom)) {
    if (layout[axis]) layout[axis] = { ...layout[axis], range, autorange: false };
  }
}

// Numbers of a frame and of the server's answer come in two forms; equal numbers are equal charts.
function numbers(value) {
  if (ArrayBuffer.isView(value)) return value;
  return value?.dtype === 'f4' ? new Float32Array(Uint8Array.from(atob(value.bdata), (c) => c.charCodeAt(0)).buffer) : null;
}

function alike(a, b) {
  if (a === b) return true;
  if (!a || !b || typeof a !== 'object' || typeof b !== 'object') return false;
  const [m, n] = [numbers(a), numbers(b)];
  if (m || n) return Boolean(m && n) && m.length === n.length && m.every((x, i) => Object.is(x, n[i]));
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => alike(a[key], b[key]));
}

function drawChart(mount, figure, chart) {
  const node = figure.firstChild;
  const fresh = figure.chart?.name !== chart.name;
  figure.chart = chart;
  node.dataset.chart = chart.name;
  node.setAttribute('aria-label', chart.alt);
  const caption = figure.lastChild.firstChild;
  if (caption.textContent !== chart.caption) caption.textContent = chart.caption;
  if (fresh) figure.querySelector('.sd-data')?.replaceChildren();
  figure.querySelector('.sd-tools').hidden = Boolean(chart.bare);
  const room = () => figure.room || node.clientWidth; // known since it last changed: asking again would lay the page out
  const height = `${(room() < NARROW && chart.narrow.height) || chart.height}px`;
  if (node.style.height !== height) node.style.height = height;
  figure.tickets = (figure.tickets ?? 0) + 1;
  const ticket = figure.tickets;
  plotly().then((Plotly) => {
    if (ticket !== figure.tickets || !node.isConnected) return;
    const { dark, font } = mount.look;
    figure.width = room();
    const wanted = [chart, figure.width, dark, mount.mark?.chart === chart.name && mount.mark, mount.header.slides];
    if (figure.drawn && alike(figure.drawn, wanted)) {  // the server's answer to what a frame has drawn already
      node.dataset.shows = stated(mount, chart);
      return;
    }
    figure.drawn = wanted;
    let plain = figure.width < NARROW ? narrowed(chart.layout, chart.narrow) : chart.layout;
    if (mount.mark?.chart === chart.name) plain = marked(plain, mount.mark);
    if (mount.header.slides && figure.width >= NARROW) plain = enlarged(plain);
    const layout = themed(plain, dark);
    layout.font = { ...layout.font, family: font };
    layout.width = figure.width;
    if (matchMedia('(pointer: coarse)').matches) layout.dragmode = false;
    keepZoom(figure, node, layout);
    return Plotly.react(node, themed(chart.data, dark), layout, { displayModeBar: false, doubleClick: 'reset' }).then(() => {
      figure.ranges = ranges(node);
      figure.revision = layout.uirevision;
      node.dataset.shows = stated(mount, chart);
      node.dataset.drawn = Number(node.dataset.drawn ?? 0) + 1;
    });
  });
}

function save(name, blob) {
  const link = make('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}

function tools(mount, figure) {
  const box = make('details', 'sd-tools');
  box.append(make('summary', '', 'Save, data'));
  const row = box.appendChild(make('div', 'sd-buttons'));
  const button = (text, act) => {
    const b = row.appendChild(make('button', 'sd-button', text));
    b.type = 'button';
    b.addEventListener('click', () => act(figure.firstChild, figure.chart.name));
  };
  const image = (format) => async (node, name) => {
    const Plotly = await plotly();
    const paper = getComputedStyle(mount.root).getPropertyValue('--st-background-color') || '#fff';
    const layout = { ...node.layout, paper_bgcolor: paper };
    const url = await Plotly.toImage({ data: node.data, layout }, { format, width: node.clientWidth, height: node.clientHeight, scale: format === 'png' ? 2 : 1 });
    save(`stdial-${name}.${format}`, await (await fetch(url)).blob());
  };
  button('PNG', image('png'));
  button('SVG', image('svg'));
  button('CSV', async (_, name) => save(`stdial-${name}.csv`, new Blob([await mount.csv(name)], { type: 'text/csv' })));
  const data = box.appendChild(make('div', 'sd-data'));
  button('Table', async (_, name) => {
    if (data.children.length) { data.replaceChildren(); return; }
    const rows = parse(await mount.csv(name));
    const [columns, ...body] = rows;
    data.replaceChildren(tableNode({ columns, rows: body.slice(0, 500), caption: figure.chart.alt, numeric: columns.map((_, i) => i) }));
    if (body.length > 500) data.append(make('p', 'sd-muted', `The first 500 of ${body.length} rows; the CSV has all.`));
  });
  return box;
}

// Our own CSV: quotes only where Python's writer put them.
function parse(text) {
  const rows = [[]];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') { cell += '"'; i++; } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',') { rows[rows.length - 1].push(cell); cell = ''; }
    else if (c === '\n') { rows[rows.length - 1].push(cell); cell = ''; rows.push([]); }
    else cell += c;
  }
  if (rows[rows.length - 1].length === 0) rows.pop();
  return rows;
}
