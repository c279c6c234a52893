// A source under an answer: what it is called, where to open it, and what it says.

import { clock, element, marked, webAddress } from './text.js';

/** Characters around the sentence that speaks of the question, in what is shown at once. */
const AROUND = 100;

/** Where in the source: chapter, second, page, date. */
function place(source) {
  const parts = [
    source.section,
    Number.isInteger(source.start_s) ? clock(source.start_s) : null,
    Number.isInteger(source.page) ? `page ${source.page}` : null,
    source.date ? element('span', 'whole', source.date) : null,
  ].filter(Boolean);
  return parts.length ? element('span', 'place', ...parts.flatMap((part, at) => (at ? [' · ', part] : [part]))) : null;
}

/** The card of the source with this number. Its first element is what the arrows move between. */
export function card(source, number) {
  const name = element('span', 'name', element('span', 'title', source.title || 'Untitled'), ' ', place(source));
  const whole = source.text
    ? element('details', '', element('summary', '', 'Whole passage'),
      element('p', 'passage', ...marked(source.text, source.quote)))
    : null;
  const address = webAddress(source.link);
  const open = element(address ? 'a' : 'button', 'open', element('span', 'number', String(number)), name);
  if (address) {
    open.href = address;
    open.target = '_blank';
    open.rel = 'noopener noreferrer';
    const moment = Number.isInteger(source.start_s) ? ` at ${clock(source.start_s)}` : '';
    name.append(element('span', 'unseen', `, opens${moment} in a new tab`));
  } else {
    open.type = 'button';
    open.addEventListener('click', () => { if (whole) whole.open = !whole.open; });
  }
  const quote = source.text ? element('p', 'quote', ...marked(source.text, source.quote, AROUND)) : null;
  return element('li', 'source', open, quote, whole);
}

/** Moves between the sources of the newest answer that has some. True when there was one to go to. */
export function step(by) {
  const current = document.activeElement?.closest('.source');
  const lists = document.querySelectorAll('.sources');
  const list = current?.closest('.sources') ?? lists[lists.length - 1];
  const all = list ? [...list.querySelectorAll('.open')] : [];
  const at = current ? all.indexOf(current.querySelector('.open')) : by > 0 ? -1 : all.length;
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return Boolean(next);
}
