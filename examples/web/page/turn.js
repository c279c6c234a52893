// A question with its answer, as it comes or as the engine has kept it.

import { card } from './source.js';
import { blocks, element } from './text.js';

const NO_CONTEXT = {
  nothing_indexed: 'This project holds nothing yet. Take sources in, then ask again.',
  no_match: 'Nothing in this project says any of these words. Try others, or Broad Search.',
  low_confidence: 'What was found is too far from the question to answer from.',
};

const KEPT = {
  cancelled: 'You stopped this answer.',
  unfinished: 'This answer was not finished: the program ended while it was written.',
};

let count = 0;

/** A question and what is answered to it; `root` is its element. */
export class Turn {
  #number = (count += 1);
  #state = element('p', 'state');
  #text = element('div', 'text');
  #notes = element('div', 'notes');
  #list = element('ol', 'sources');
  #under = element('section', 'under', element('h3', '', 'Sources'), this.#list);
  #words = '';
  #isDrawn = true;

  constructor(question) {
    const heading = element('h2', 'question', question);
    heading.id = `question-${this.#number}`;
    this.#under.setAttribute('aria-label', 'Sources');
    this.#list.setAttribute('role', 'list');
    this.#under.hidden = true;
    this.root = element('article', 'turn', heading,
      element('div', 'answer', this.#state, this.#text, this.#notes, this.#under));
    this.root.setAttribute('aria-labelledby', heading.id);
    this.#say('');
  }

  /** A turn that the engine has kept. */
  static kept({ question, answer, state, sources = [], searched }) {
    const turn = new Turn(question);
    turn.#sources(sources);
    turn.#words = answer;
    turn.#draw();
    if (searched) turn.#note(`Searched for: ${searched}`);
    if (KEPT[state]) turn.#note(KEPT[state]);
    return turn;
  }

  /** What is answered so far. */
  get words() { return this.#words; }

  /** Takes an event of the engine; returns what a person who hears the page is told. */
  take({ type, data }) {
    switch (type) {
      case 'searching': return this.#say('Searching…');
      case 'sources':
        this.#sources(data);
        return this.#say(data.length ? `${data.length} ${data.length > 1 ? 'sources' : 'source'} found, answering…` : '');
      case 'thinking': return this.#state.textContent === 'Thinking…' ? '' : this.#say('Thinking…');
      case 'text':
        this.#words += data;
        this.#drawSoon();
        return '';
      case 'withdrawn':
        this.#words = '';
        this.#drawSoon();
        return this.#say('That was not the answer; it follows.');
      case 'done': return this.#done(data);
      case 'failed':
        this.fail(data);
        return data;
      default: return '';
    }
  }

  begin() {
    this.root.setAttribute('aria-busy', 'true');
    this.#say('Searching…');
  }

  /** After the last event, whatever that was. */
  end() {
    this.root.removeAttribute('aria-busy');
    this.#say('');
    this.#draw();
  }

  stop() { this.#note(KEPT.cancelled); }

  fail(reason) { this.#note(reason, 'wrong'); }

  #done(answer) {
    this.#words = answer.text;
    this.#sources(answer.sources);
    if (answer.no_context_reason) this.#note(NO_CONTEXT[answer.no_context_reason] ?? 'The sources do not tell.');
    if (answer.searched) this.#note(`Searched for: ${answer.searched}`);
    const doubtful = answer.support.sentences.flatMap((sentence) => sentence.flags).filter((flag) => flag.text);
    if (doubtful.length) {
      const told = [...new Set(doubtful.map((flag) => flag.text))].join(', ');
      this.#note(`Stands in no source, look twice: ${told}`, 'doubt');
    }
    if (answer.left_out.sources.length || answer.left_out.shortened.length) {
      this.#note('The model holds too little to be shown all the sources.');
    }
    for (const { reason, remedy } of answer.degraded) this.#note(`${capital(reason)}. ${capital(remedy)}.`, 'doubt');
    this.#draw();
    return `Answer: ${answer.text}`;
  }

  #say(state) {
    this.#state.textContent = state;
    this.#state.hidden = !state;
    return state;
  }

  #note(text, kind = '') { this.#notes.append(element('p', `note ${kind}`.trim(), text)); }

  #sources(sources) {
    this.#list.replaceChildren(...sources.map((source, at) => card(source, at + 1)));
    this.#under.hidden = !sources.length;
  }

  /** Pieces come faster than a screen shows them. */
  #drawSoon() {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    requestAnimationFrame(() => { if (!this.#isDrawn) this.#draw(); });
  }

  #draw() {
    this.#isDrawn = true;
    this.#text.replaceChildren(...blocks(this.#words, (number) => this.#mark(number)));
    if (this.#words && this.root.hasAttribute('aria-busy')) this.#say('');
  }

  /** The mark of a source, which leads to it; null for one that is not there. */
  #mark(number) {
    const source = this.#list.children[number - 1];
    if (!source) return null;
    const mark = element('button', 'mark', String(number));
    mark.type = 'button';
    mark.setAttribute('aria-label', `Source ${number}`);
    mark.addEventListener('click', () => source.querySelector('.open').focus());
    return mark;
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '');
