// The first visit: one sentence on what this is, and five steps that move the real controls. Closed once, it never
// comes back by itself; a quiet button starts it again.
import { make } from './words.js';

const SHELF = 'stdial-tour';
const WHAT = 'What GRPO, Dr. GRPO and DAPO make of a group of answers is one number: the standard deviation of its rewards. Move it, and see who learns what.';
const STEPS = [
  ['k', { G: 8, k: 1, alpha: 1, shift: 0, mode: 'marks' }, 'One prompt, eight answers, one of them right. The filled points are this group’s updates: GRPO moves far more than Dr. GRPO.'],
  ['k', { k: 4 }, 'Four right: the answers disagree most, and the update is the largest there is. Slide this, or tap answers.'],
  ['k', { k: 8 }, 'All right: nothing to prefer, so nothing is learnt. The group is silent, and DAPO throws it away.'],
  ['alpha', { k: 1, alpha: 0.5 }, 'One exponent joins the methods: 0 is Dr. GRPO, 1 is GRPO. Half way is a method too.'],
  ['G', { alpha: 1, G: 32, k: 4 }, 'Group size: the same share right, four times the answers, the same update. What changes is how often groups are silent: the next pages.'],
];

const closed = () => { try { return localStorage.getItem(SHELF) !== null; } catch { return false; } };
const close = () => { try { localStorage.setItem(SHELF, 'closed'); } catch { /* a browser that keeps nothing */ } };

// On the home page only, and not where the page is embedded or asks something of its own.
export function drawWelcome(mount, wanted) {
  if (!wanted || new URLSearchParams(location.search).getAll('embed').includes('true')) {
    mount.welcome?.end(false);
    mount.around?.remove();
    mount.around = null;
    return;
  }
  if (!mount.welcome && !mount.toured && !closed()) mount.welcome = new Welcome(mount);
  if (mount.welcome?.step >= 0) requestAnimationFrame(() => mount.welcome?.follow());
  mount.around ??= around(mount);
  mount.around.hidden = Boolean(mount.welcome);
}

function around(mount) {
  const node = mount.parts.share.firstChild.appendChild(make('button', 'sd-button sd-around', 'Show me around'));
  node.type = 'button';
  node.addEventListener('click', () => {
    mount.welcome = new Welcome(mount);
    node.hidden = true;
    document.querySelector('[data-testid=stMain]')?.scrollTo({ top: 0 });
    mount.welcome.to(0);
  });
  return node;
}

class Welcome {
  constructor(mount) {
    this.mount = mount;
    this.step = -1;
    this.box = make('section', 'sd-welcome');
    this.box.setAttribute('aria-label', 'What this is');
    this.text = this.box.appendChild(make('p', '', WHAT));
    this.text.setAttribute('role', 'status');
    this.text.tabIndex = -1;
    const row = this.box.appendChild(make('div', 'sd-buttons'));
    this.back = this.button(row, 'Back', () => this.to(this.step - 1));
    this.next = this.button(row, 'Take the tour', () => (this.step === STEPS.length - 1 ? this.end(true) : this.to(this.step + 1)));
    this.close = this.button(row, 'Close', () => this.end(true));
    this.back.hidden = true;
    this.box.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') this.end(true);
    });
    mount.root.prepend(this.box);
  }

  button(row, words, act) {
    const node = row.appendChild(make('button', 'sd-button', words));
    node.type = 'button';
    node.addEventListener('click', act);
    return node;
  }

  to(step) {
    this.step = Math.max(0, step);
    const [name, sets, words] = STEPS[this.step];
    this.mount.root.classList.add('sd-touring');
    this.box.setAttribute('aria-label', 'Tour');
    this.text.replaceChildren(make('span', 'sd-welcome-step', `${this.step + 1} of ${STEPS.length} `), words);
    this.back.hidden = this.step === 0;
    this.next.textContent = this.step === STEPS.length - 1 ? 'Done' : 'Next';
    this.mount.move(sets, true, true);
    this.pointAt(name);
    this.next.focus({ preventScroll: true });
  }

  pointAt(name) {
    this.mount.root.querySelectorAll('.sd-pointed').forEach((node) => node.classList.remove('sd-pointed'));
    const control = name && this.mount.root.querySelector(`[data-control="${name}"]`);
    if (!control) return;
    control.classList.add('sd-pointed');
    this.pointed = performance.now();
    this.mount.root.style.setProperty('--welcome', `${this.box.offsetHeight}px`); // the chart stays under these words
    this.follow();
  }

  // The control in sight, also when what a step moved makes the page longer or shorter.
  follow() {
    const control = this.mount.root.querySelector('.sd-pointed');
    if (!control || performance.now() - this.pointed > 2000) return;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    control.scrollIntoView({ block: 'nearest', behavior: calm ? 'auto' : 'smooth' });
  }

  end(forGood) {
    if (forGood) close();
    this.pointAt('');
    const held = this.box.contains(document.activeElement);
    this.box.remove();
    this.mount.root.classList.remove('sd-touring');
    this.mount.welcome = null;
    this.mount.toured ||= forGood;
    if (this.mount.around) this.mount.around.hidden = false;
    if (held) this.mount.root.querySelector('input:not([disabled])')?.focus({ preventScroll: true });
  }
}
