// The controls of a page: native inputs, so keys and screen readers work, with a pointer of our own on sliders.
import { make } from './words.js';

let count = 0;
const kinds = { slider: Slider, range: RangeSlider, choice: Choice, toggle: Toggle, number: NumberBox, text: TextBox, marks: Marks, button: Button };

export function drawControls(mount, specs) {
  const seen = new Set();
  let order = 0;
  for (const spec of specs) {
    const id = `${spec.kind}:${spec.name}:${spec.kind === 'button' ? spec.label : ''}`;
    seen.add(id);
    let control = mount.controls.get(id);
    if (!control) {
      control = kinds[spec.kind](mount, spec);
      control.box.classList.add('sd-control', `sd-k-${spec.kind}`);
      control.box.dataset.control = spec.name;
      mount.controls.set(id, control);
    }
    const home = mount.parts[spec.primary ? 'primary' : 'controls'];
    if (control.box.parentElement !== home) home.append(control.box);
    control.box.style.order = order++;
    control.spec = spec;
    control.box.classList.toggle('sd-locked', Boolean(spec.locked));
    setHint(control, spec);
    control.update(spec);
  }
  for (const [id, control] of mount.controls) {
    if (!seen.has(id)) { control.box.remove(); mount.controls.delete(id); }
  }
  for (const name of ['primary', 'controls']) mount.parts[name].hidden = !mount.parts[name].children.length;
}

function setHint(control, spec) {
  const text = [spec.hint, spec.locked === true ? 'Set by the sender of this link.' : ''].filter(Boolean).join(' ');
  let hint = control.box.querySelector(':scope > .sd-hint');
  if (!text) { hint?.remove(); return; }
  hint ??= control.box.appendChild(make('p', 'sd-hint'));
  if (hint.textContent !== text) hint.textContent = text;
}

function labelled(input, text) {
  const label = make('label', 'sd-label', text);
  input.id = `sd-${++count}`;
  label.htmlFor = input.id;
  label.id = `${input.id}-l`;
  return label;
}

const write = (value, spec) => (spec.percent ? `${(100 * value).toFixed(spec.digits ?? 0)}%`
  : Number.isInteger(value) && !spec.digits ? String(value) : shortest(value, spec.digits ?? 0));

// As many digits as asked for, and more where the value has them.
function shortest(value, digits) {
  const fixed = value.toFixed(digits);
  return Math.abs(Number(fixed) - value) < 1e-12 ? fixed : String(value);
}

// A value's place on the track, 0 to 1, and back.
function placeOf(value, spec) {
  const { low, high } = spec;
  if (high <= low) return 0;
  if (spec.scale === 'log') return Math.log(Math.max(value, low) / low) / Math.log(high / low);
  return (value - low) / (high - low);
}
function valueAt(place, spec) {
  const { low, high } = spec;
  const at = Math.min(1, Math.max(0, place));
  if (spec.stops) return spec.stops.reduce((best, stop) => (Math.abs(placeOf(stop, spec) - at) < Math.abs(placeOf(best, spec) - at) ? stop : best));
  return snapped(spec.scale === 'log' ? low * (high / low) ** at : low + (high - low) * at, spec);
}
function snapped(value, spec) {
  const step = spec.step || 0.01;
  const whole = Math.round((value - spec.low) / step) * step + spec.low;
  return Math.min(spec.high, Math.max(spec.low, Number(whole.toFixed(10))));
}
function keyed(key, value, spec, shift) {
  const step = (spec.step || 0.01) * (shift ? 10 : 1);
  const log = spec.scale === 'log';
  const page = (spec.high - spec.low) / 10;
  const move = {
    ArrowRight: () => value + step, ArrowUp: () => value + step, ArrowLeft: () => value - step, ArrowDown: () => value - step,
    PageUp: () => (log ? value * 2 : value + page), PageDown: () => (log ? value / 2 : value - page),
    Home: () => spec.low, End: () => spec.high,
  }[key];
  if (!move) return null;
  const next = Number(Math.min(spec.high, Math.max(spec.low, move())).toFixed(10));
  return Number.isInteger(step) && Number.isInteger(spec.low) ? Math.round(next) : next;
}

function thumbInput(label) {
  const input = make('input');
  input.type = 'range';
  input.step = 'any';
  input.setAttribute('aria-label', label);
  return input;
}

// Pointer on the track: only our own arithmetic places the thumb, so logarithmic scales drag evenly.
function dragging(track, active, pick, moved) {
  let held = null;
  const at = (e) => {
    const box = track.getBoundingClientRect();
    return (e.clientX - box.left - 11) / (box.width - 22);
  };
  track.addEventListener('pointerdown', (e) => {
    if (e.button !== 0 || !active()) return;
    held = pick(at(e));
    track.setPointerCapture(e.pointerId);
    held.focus({ preventScroll: true });
    moved(held, at(e), false);
    e.preventDefault();
  });
  track.addEventListener('pointermove', (e) => held && moved(held, at(e), false));
  const end = (e) => { if (held) { moved(held, at(e), true); held = null; } };
  track.addEventListener('pointerup', end);
  track.addEventListener('pointercancel', () => { held = null; });
}

function Slider(mount, spec) {
  const box = make('div');
  const head = box.appendChild(make('div', 'sd-head'));
  const track = box.appendChild(make('div', 'sd-track'));
  const fill = track.appendChild(make('div', 'sd-fill'));
  const input = track.appendChild(thumbInput(spec.label));
  const thumb = track.appendChild(make('div', 'sd-thumb'));
  const label = labelled(input, spec.label);
  input.removeAttribute('aria-label');
  const typed = make('input', 'sd-value');
  typed.type = 'text';
  typed.inputMode = 'decimal';
  typed.setAttribute('aria-label', 'exact value');
  typed.setAttribute('aria-describedby', label.id);
  head.append(label, typed);
  const control = { box, spec, value: spec.value };
  const paint = () => {
    const place = placeOf(control.value, control.spec);
    fill.style.setProperty('--at', place);
    thumb.style.setProperty('--at', place);
    const text = write(control.value, control.spec);
    if (document.activeElement !== typed || !control.typing) typed.value = text;
    input.value = control.value;
    input.setAttribute('aria-valuetext', text);
  };
  const go = (value, final) => {
    if (value === null || control.spec.locked || (value === control.value && !final)) return;
    const changed = value !== control.value || control.dirty;
    control.dirty = !final;
    control.value = value;
    paint();
    if (changed) mount.move({ [control.spec.name]: value }, final);
  };
  control.set = go;
  dragging(track, () => !control.spec.locked, () => input, (_, at, final) => go(valueAt(at, control.spec), final));
  input.addEventListener('keydown', (e) => {
    const next = keyed(e.key, control.value, control.spec, e.shiftKey);
    if (next === null || e.altKey || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    go(next, false);
  });
  input.addEventListener('keyup', () => control.dirty && mount.frames() === undefined && go(control.value, true));
  input.addEventListener('input', () => go(snapped(Number(input.value), control.spec), false));
  input.addEventListener('change', () => go(snapped(Number(input.value), control.spec), true));
  const take = () => {
    control.typing = false;
    const s = control.spec;
    let value = Number(typed.value.replace('%', '').replace(',', '.').trim());
    if (s.percent) value /= 100;
    if (typed.value.trim() === '' || !Number.isFinite(value)) { paint(); return; }
    if (Number.isInteger(s.step)) value = Math.round(value);
    value = Math.min(s.high, Math.max(s.low, value));
    if (value !== control.value) go(value, true); else paint();
  };
  typed.addEventListener('input', () => { control.typing = true; });
  typed.addEventListener('keydown', (e) => e.key === 'Enter' && take());
  typed.addEventListener('blur', take);
  const player = spec.play ? newPlayer(mount, control, box) : null;
  control.update = (s) => {
    Object.assign(input, { min: s.low, max: s.high, disabled: Boolean(s.locked) });
    typed.disabled = Boolean(s.locked);
    control.value = s.value;
    control.dirty = false;
    paint();
    player?.update();
  };
  return control;
}

// Play, pause and step through the frames of a slider.
function newPlayer(mount, control, box) {
  const row = box.appendChild(make('div', 'sd-player'));
  const button = (text, act) => {
    const b = row.appendChild(make('button', 'sd-button', text));
    b.type = 'button';
    b.addEventListener('click', act);
    return b;
  };
  let timer = 0;
  const values = () => mount.frames()?.values ?? [];
  const near = () => values().reduce((best, v, i, all) => (Math.abs(v - control.value) < Math.abs(all[best] - control.value) ? i : best), 0);
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = 'Play'; };
  const to = (i, final) => { const all = values(); if (all.length) control.set(all[Math.min(all.length - 1, Math.max(0, i))], final); };
  const ready = (then, patience = 50) => { // frames that are not here yet are asked for
    if (values().length || !patience) { then(); return; }
    mount.askForFrames(true);
    setTimeout(() => box.isConnected && ready(then, patience - 1), 100);
  };
  const play = button('Play', () => {
    if (timer) { stop(); to(near(), true); return; }
    play.textContent = 'Pause';
    timer = -1;
    ready(() => {
      if (timer !== -1) return; // paused meanwhile
      if (near() >= values().length - 1) to(0, false);
      const slow = matchMedia('(prefers-reduced-motion: reduce)').matches;
      timer = setInterval(() => {
        const i = near();
        if (!box.isConnected || i >= values().length - 1) { stop(); to(i, true); return; }
        to(i + 1, false);
      }, slow ? 400 : 60);
    });
  });
  button('Back', () => { stop(); ready(() => to(near() - 1, true)); }).setAttribute('aria-label', 'One step back');
  button('Step', () => { stop(); ready(() => to(near() + 1, true)); }).setAttribute('aria-label', 'One step forward');
  return { update: () => {} };
}

function RangeSlider(mount, spec) {
  const box = make('div');
  const head = box.appendChild(make('div', 'sd-head'));
  head.append(make('span', 'sd-label', spec.label));
  const out = head.appendChild(make('output', 'sd-value'));
  const track = box.appendChild(make('div', 'sd-track sd-two'));
  const fill = track.appendChild(make('div', 'sd-fill'));
  const inputs = [thumbInput(`${spec.label}, from`), thumbInput(`${spec.label}, to`)];
  const thumbs = inputs.map((input) => { track.append(input); return track.appendChild(make('div', 'sd-thumb')); });
  const control = { box, spec, values: [spec.value, spec.value2] };
  const paint = () => {
    const s = control.spec;
    control.values.forEach((v, i) => {
      thumbs[i].style.setProperty('--at', placeOf(v, s));
      inputs[i].value = v;
      inputs[i].setAttribute('aria-valuetext', write(v, s));
    });
    fill.style.setProperty('--from', placeOf(control.values[0], s));
    fill.style.setProperty('--at', placeOf(control.values[1], s));
    out.textContent = control.values.map((v) => write(v, s)).join(' to ');
  };
  const go = (i, value, final) => {
    const s = control.spec;
    if (value === null || s.locked) return;
    const next = [...control.values];
    next[i] = i ? Math.max(value, next[0]) : Math.min(value, next[1]);
    if (next[i] === control.values[i] && !final) return;
    control.values = next;
    paint();
    mount.move({ [s.name]: next[0], [s.upper]: next[1] }, final);
  };
  dragging(track, () => !control.spec.locked, (at) => {
    const [a, b] = control.values.map((v) => placeOf(v, control.spec));
    return inputs[Math.abs(at - a) < Math.abs(at - b) || (a === b && at < a) ? 0 : 1];
  }, (input, at, final) => go(inputs.indexOf(input), valueAt(at, control.spec), final));
  inputs.forEach((input, i) => {
    input.addEventListener('keydown', (e) => {
      const next = keyed(e.key, control.values[i], control.spec, e.shiftKey);
      if (next === null) return;
      e.preventDefault();
      go(i, next, false);
    });
    input.addEventListener('change', () => go(i, snapped(Number(input.value), control.spec), true));
  });
  control.update = (s) => {
    for (const input of inputs) Object.assign(input, { min: s.low, max: s.high, disabled: Boolean(s.locked) });
    control.values = [s.value, s.value2];
    paint();
  };
  return control;
}

function Choice(mount, spec) {
  return spec.menu ? Menu(mount, spec) : Buttons(mount, spec);
}

function Menu(mount, spec) {
  const box = make('div');
  const select = make('select');
  box.append(labelled(select, spec.label), select);
  const control = { box, spec };
  select.addEventListener('change', () => mount.move({ [control.spec.name]: select.value }, true));
  control.update = (s) => {
    const text = JSON.stringify([s.options, s.heads]);
    if (select.dataset.text !== text) {
      select.dataset.text = text;
      select.replaceChildren();
      let home = select;
      s.options.forEach(([value, words], i) => {
        const head = s.heads?.[i];
        if (head && head !== home.label) home = select.appendChild(Object.assign(make('optgroup'), { label: head }));
        if (!head) home = select;
        home.append(Object.assign(make('option', '', words), { value }));
      });
    }
    select.value = s.value;
    select.disabled = Boolean(s.locked);
  };
  return control;
}

function Buttons(mount, spec) {
  const box = make('fieldset');
  box.append(make('legend', 'sd-label', spec.label));
  const row = box.appendChild(make('div', 'sd-segments'));
  const control = { box, spec };
  const group = `sd-${++count}`;
  control.update = (s) => {
    const text = JSON.stringify(s.options);
    if (row.dataset.text !== text) {
      row.dataset.text = text;
      row.replaceChildren(...s.options.map(([value, words]) => {
        const label = make('label');
        const input = make('input');
        Object.assign(input, { type: 'radio', name: group, value });
        input.addEventListener('change', () => input.checked && mount.move({ [control.spec.name]: value }, true));
        label.append(input, make('span', '', words));
        return label;
      }));
    }
    for (const input of row.querySelectorAll('input')) {
      input.checked = input.value === s.value;
      input.disabled = Boolean(s.locked);
    }
  };
  return control;
}

function Toggle(mount, spec) {
  const box = make('div');
  const label = box.appendChild(make('label', 'sd-check'));
  const input = label.appendChild(make('input'));
  input.type = 'checkbox';
  label.append(make('span', '', spec.label));
  const control = { box, spec };
  input.addEventListener('change', () => mount.move({ [control.spec.name]: input.checked }, true));
  control.update = (s) => { input.checked = Boolean(s.value); input.disabled = Boolean(s.locked); };
  return control;
}

// While something is being typed, an answer that comes meanwhile leaves it alone.
function watchTyping(input, control) {
  input.addEventListener('input', () => { control.typing = true; });
  for (const kind of ['change', 'blur']) input.addEventListener(kind, () => { control.typing = false; });
}

function NumberBox(mount, spec) {
  const box = make('div');
  const input = make('input');
  input.type = 'number';
  box.append(labelled(input, spec.label), input);
  const control = { box, spec };
  watchTyping(input, control);
  input.addEventListener('change', () => {
    const { low, high, name } = control.spec;
    const value = Number(input.value);
    if (input.value === '' || !Number.isFinite(value)) { control.update(control.spec); return; }
    const fit = Math.min(high, Math.max(low, value));
    input.value = fit;
    mount.move({ [name]: fit }, true);
  });
  control.update = (s) => {
    Object.assign(input, { min: s.low, max: s.high, step: s.step ?? 'any', disabled: Boolean(s.locked) });
    if (!control.typing) input.value = s.value;
  };
  return control;
}

function TextBox(mount, spec) {
  const box = make('div');
  const input = make(spec.lines > 1 ? 'textarea' : 'input');
  if (spec.lines > 1) input.rows = spec.lines; else input.type = 'text';
  box.append(labelled(input, spec.label), input);
  const control = { box, spec };
  watchTyping(input, control);
  input.addEventListener('change', () => mount.move({ [control.spec.name]: input.value }, true));
  control.update = (s) => {
    Object.assign(input, { maxLength: s.most, placeholder: s.placeholder ?? '', disabled: Boolean(s.locked) });
    if (!control.typing) input.value = s.value ?? '';
  };
  return control;
}

function Marks(mount, spec) {
  const box = make('fieldset');
  box.append(make('legend', 'sd-label', spec.label));
  const row = box.appendChild(make('div', 'sd-row'));
  const control = { box, spec, value: spec.value };
  const flip = (i) => {
    if (control.spec.locked) return;
    const next = control.value.slice(0, i) + (control.value[i] === '1' ? '0' : '1') + control.value.slice(i + 1);
    control.value = next;
    paint();
    mount.move({ [control.spec.name]: next }, true);
  };
  const paint = () => {
    while (row.children.length > control.value.length) row.lastChild.remove();
    while (row.children.length < control.value.length) {
      const i = row.children.length;
      const button = row.appendChild(make('button'));
      button.type = 'button';
      button.addEventListener('click', () => flip(i));
    }
    [...row.children].forEach((button, i) => {
      const right = control.value[i] === '1';
      button.setAttribute('aria-pressed', right);
      button.setAttribute('aria-label', `Answer ${i + 1} is ${right ? 'right' : 'wrong'}`);
      button.textContent = right ? '✓' : '×';
      button.disabled = Boolean(control.spec.locked);
    });
  };
  control.update = (s) => { control.value = s.value; paint(); };
  return control;
}

function Button(mount, spec) {
  const box = make('div');
  const button = box.appendChild(make('button', 'sd-button', spec.label));
  button.type = 'button';
  const control = { box, spec };
  button.addEventListener('click', () => (control.spec.name === 'print' ? window.print() : mount.move({ ...control.spec.sets }, true)));
  control.update = (s) => { button.disabled = Boolean(s.locked); };
  return control;
}
