// Texts as elements. Whatever a text says, it stays text: no string becomes markup anywhere on this page.

/** An element with a class and children, each a node or a text, which is read in the direction of its script. */
export function element(name, className, ...children) {
  const made = document.createElement(name);
  made.dir = 'auto';
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** 83 seconds as 1:23. */
export function clock(seconds) {
  const two = (n) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** An address that may be opened; null for anything but the web. */
export function webAddress(link) {
  try {
    const { protocol, href } = new URL(link);
    return protocol === 'https:' || protocol === 'http:' ? href : null;
  } catch {
    return null;
  }
}

const INLINE = /\*\*(?<bold>[^*\n]+)\*\*|`(?<code>[^`\n]+)`|\[(?<marks>\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;

/** A line of an answer: `**bold**`, `` `code` `` and the marks of sources, for which `mark` makes what is shown. */
function inline(line, mark) {
  const nodes = [];
  let from = 0;
  for (const found of line.matchAll(INLINE)) {
    nodes.push(line.slice(from, found.index));
    from = found.index + found[0].length;
    const { bold, code, marks } = found.groups;
    if (bold) nodes.push(element('strong', '', bold));
    else if (code) nodes.push(element('code', '', code));
    else nodes.push(...marks.split(',').map((number) => mark(Number(number)) ?? `[${number.trim()}]`));
  }
  nodes.push(line.slice(from));
  return nodes.filter((node) => node !== '');
}

const ITEM = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+/;

/** The paragraphs, lists and quotes of an answer, as far as it has come. */
export function blocks(text, mark) {
  const made = [];
  let list = null;
  let code = null;
  const add = (block) => { list = null; made.push(block); };
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) {
      if (code) code = null;
      else add(code = element('pre'));
    } else if (code) {
      code.append(line, '\n');
    } else if (!line.trim()) {
      list = null;
    } else if (ITEM.test(line)) {
      const kind = ITEM.exec(line)[1] ? 'ol' : 'ul';
      if (list?.localName !== kind) { add(element(kind)); list = made.at(-1); }
      list.append(element('li', '', ...inline(line.replace(ITEM, ''), mark)));
    } else if (/^#{1,6}\s/.test(line)) {
      add(element('p', 'heading', ...inline(line.replace(/^#+\s+/, ''), mark)));
    } else {
      add(element(/^[“"«]/.test(line) ? 'blockquote' : 'p', '', ...inline(line, mark)));
    }
  }
  return made;
}

/** The first space from a place on, in that direction, so that no word is cut; the place itself where none is near. */
function space(characters, from, by) {
  for (let at = from; Math.abs(at - from) < 24 && at > 0 && at < characters.length; at += by) {
    if (/\s/.test(characters[at])) return at;
  }
  return from;
}

/** A text with a part of it marked, by its places in characters; cut to `around` characters on each side of that part. */
export function marked(text, span, around = Infinity) {
  const characters = Array.from(text);
  const [start, end] = span ? [span.char_start, span.char_end] : [0, 0];
  const part = (from, to) => characters.slice(from, to).join('');
  const first = start > around ? space(characters, start - around, 1) : 0;
  const last = characters.length - end > around ? space(characters, end + around, -1) : characters.length;
  return [
    first > 0 ? '…' : '', first > 0 ? part(first, start).trimStart() : part(0, start),
    end > start ? element('mark', '', part(start, end)) : null,
    part(end, Math.max(end, last)), last < characters.length ? '…' : '',
  ];
}
