// What a link asks of its reader: the sender's words, a lesson's question, a guess, and after it the answer.
// Hidden answers are a courtesy, no secret: everything is in the page.
import { make, setRuns } from './words.js';

const SHELF = 'stdial-lessons'; // progress stays in this browser: lesson id -> {guess, right}
let count = 0;
let justNow = false; // a guess was made and its answer is awaited: the focus goes there

export function progress() {
  try { return JSON.parse(localStorage.getItem(SHELF)) ?? {}; } catch { return {}; }
}

function remember(id, entry) {
  try { localStorage.setItem(SHELF, JSON.stringify({ ...progress(), [id]: entry })); } catch { /* a browser that keeps nothing */ }
}

// What was guessed at this entry of the tab's history. The question stays in the address, for whoever gets a copy of it; reload,
// Back and Forward do not ask the same reader twice.
const guessedHere = () => history.state?.stdialGuess;
const guessHere = (text) => history.replaceState({ ...history.state, stdialGuess: text }, '');

// A stage without the words that would give the answer away.
export function withheld(spec) {
  return { ...spec, answer: [], text: [], readouts: [], tables: [], cards: [] };
}

export function drawAsked(mount, node, asked) {
  const text = JSON.stringify(asked ?? null);
  if (node.dataset.text === text) return;
  node.dataset.text = text;
  const held = node.contains(document.activeElement);
  mount.asking = null;
  node.replaceChildren();
  node.hidden = !asked;
  if (!asked) return;
  const box = node.appendChild(make('section'));
  box.setAttribute('aria-label', asked.lesson ? asked.lesson.place : 'From the sender of this link');
  if (asked.title || asked.ask) sender(box, asked);
  if (asked.lesson) question(box, asked.lesson);
  if (asked.guess && guessedHere() !== undefined && !mount.resumed) {
    mount.resumed = true;
    setTimeout(() => mount.move({ guess: false, again: 1 }, true, true));
  } else if (asked.guess) box.append(form(mount, asked));
  else {
    const said = after(mount, asked);
    if (said) box.append(said);
    if (held || justNow) said?.querySelector('[tabindex]')?.focus({ preventScroll: true });
    justNow = false;
  }
}

function sender(box, asked) {
  box.append(make('p', 'sd-from', 'From the sender of this link'));
  if (asked.title) box.append(make('p', 'sd-asked-title', asked.title));
  if (asked.ask) box.append(make('p', 'sd-asked-words', asked.ask));
}

function question(box, lesson) {
  box.append(make('p', 'sd-from', `${lesson.place}: ${lesson.name}`));
  setRuns(box.appendChild(make('p', 'sd-asked-words')), lesson.question);
}

function form(mount, asked) {
  const rules = asked.lesson?.form ?? { kind: 'text', label: 'Your guess, a number or words' };
  const box = make('form', 'sd-guess');
  box.noValidate = true;
  const field = rules.kind === 'choice' ? choices(box, rules) : entry(mount, box, rules);
  const go = box.appendChild(make('button', 'sd-button sd-go', asked.lesson ? 'Show the answer' : 'Guess, then show the answer'));
  go.type = 'submit';
  const note = box.appendChild(make('p', 'sd-hint', `${rules.kind === 'tap' ? 'Tap the chart, or type. ' : ''}${asked.lesson ? 'The answer is hidden and the controls wait until you guess.' : 'The answer is hidden until you guess.'}`));
  note.setAttribute('role', 'status');
  box.addEventListener('submit', (e) => {
    e.preventDefault();
    const guess = field.read();
    if (guess === null) { note.textContent = field.wanted; field.focus(); return; }
    guessHere(guess.text);
    justNow = true;
    if (asked.lesson) remember(asked.lesson.id, { guess: guess.text, right: guess.right, at: guess.at });
    const sets = asked.lesson?.sets ?? {};
    if (!Object.keys(sets).length) mount.reveal();
    mount.move({ ...sets, guess: false }, true, true);
  });
  return box;
}

function choices(box, rules) {
  const set = box.appendChild(make('fieldset', 'sd-k-choice'));
  set.append(make('legend', 'sd-label', rules.label));
  const row = set.appendChild(make('div', 'sd-segments'));
  const group = `sd-guess-${++count}`;
  rules.options.forEach((words, i) => {
    const label = row.appendChild(make('label'));
    label.append(Object.assign(make('input'), { type: 'radio', name: group, value: i }), make('span', '', words));
  });
  return {
    wanted: 'Choose one first.',
    focus: () => row.querySelector('input').focus(),
    read: () => {
      const chosen = row.querySelector('input:checked');
      if (!chosen) return null;
      const i = Number(chosen.value);
      return { text: rules.options[i], right: rules.right.includes(i) };
    },
  };
}

function entry(mount, box, rules) {
  const input = make('input', 'sd-entry');
  input.id = `sd-guess-${++count}`;
  const label = make('label', 'sd-label', rules.label);
  label.htmlFor = input.id;
  box.append(label, input);
  input.type = 'text';
  input.autocomplete = 'off';
  input.maxLength = 80;
  if (rules.kind !== 'text') input.inputMode = 'decimal';
  const number = () => {
    const typed = input.value.replace('%', '').replace(',', '.').trim();
    const value = Number(typed);
    return typed === '' || !Number.isFinite(value) || value < rules.low || value > rules.high ? null : value;
  };
  if (rules.kind === 'tap') {
    const mark = () => mount.point(number() === null ? null : { chart: rules.chart, x: number() });
    input.addEventListener('input', mark);
    mount.asking = {
      chart: rules.chart,
      rule: { x: '', low: rules.low, high: rules.high, step: rules.step },
      take: (value) => { input.value = String(value); mark(); },
    };
  }
  const wanted = rules.kind === 'text' ? 'Write your guess first.' : `Type a number from ${rules.low} to ${rules.high} first.`;
  return {
    wanted,
    focus: () => input.focus(),
    read: () => {
      if (rules.kind === 'text') return input.value.trim() ? { text: input.value.trim() } : null;
      const value = number();
      if (value === null) return null;
      const off = Math.abs((rules.percent ? value / 100 : value) - rules.answer);
      return { text: rules.percent ? `${value}%` : String(value), right: off <= rules.near, at: value };
    },
  };
}

// What is said once the answer is open: the guess beside it, why, and where to go on.
function after(mount, asked) {
  const lesson = asked.lesson;
  const guess = guessedHere();
  if (!lesson && guess === undefined) return null;
  const box = make('div', 'sd-after');
  const verdict = box.appendChild(make('p', 'sd-verdict'));
  verdict.tabIndex = -1;
  if (!lesson) { verdict.textContent = `You guessed ${guess}. The answer stands above.`; return box; }
  const mine = progress()[lesson.id];
  if (mine) {
    verdict.append(`You guessed ${mine.guess}. `, make('strong', '', mine.right ? 'Yes: ' : 'Not quite: '));
    if (lesson.form.kind === 'tap' && mine.at !== undefined) mount.point({ chart: lesson.form.chart, x: mine.at });
  }
  verdict.append(mine ? 'it is ' : 'It is ', make('strong', '', lesson.said), '.');
  setRuns(box.appendChild(make('p', 'sd-asked-words')), lesson.why);
  const links = box.appendChild(make('p', 'sd-links'));
  const link = (text, href) => { links.append(Object.assign(make('a', '', text), { href: new URL(href, document.baseURI) })); };
  if (lesson.next) link(`Next: ${lesson.next[0]}`, lesson.next[1]);
  link('All questions', lesson.all);
  return box;
}

// The list of lessons, with what this browser remembers of each.
export function drawCards(parent, cards = []) {
  const mine = progress();
  const text = JSON.stringify([cards, mine]);
  if (parent.dataset.text === text) return;
  parent.dataset.text = text;
  parent.hidden = !cards.length;
  const list = make('ol', 'sd-cards-list');
  list.setAttribute('role', 'list'); // without bullets, Safari forgets that it is one
  list.append(...cards.map((card) => {
    const item = make('li');
    item.append(make('h3', '', card.title));
    setRuns(item.appendChild(make('p')), card.text);
    const done = mine[card.key];
    item.append(make('p', 'sd-progress', done ? `You guessed ${done.guess}: ${done.right ? 'yes' : 'not quite'}.` : 'Not guessed yet.'));
    const links = item.appendChild(make('p', 'sd-links'));
    for (const [words, href] of card.links) {
      const link = links.appendChild(Object.assign(make('a', '', words), { href: new URL(href, document.baseURI) }));
      link.setAttribute('aria-label', `${words}: ${card.title}`);
    }
    return item;
  }));
  parent.replaceChildren(...(cards.length ? [list] : []));
}
