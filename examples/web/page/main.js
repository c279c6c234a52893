// The page: what is chosen, what is asked, and the keys.

import * as server from './server.js';
import { step } from './source.js';
import { Turn } from './turn.js';

const at = (id) => document.getElementById(id);
const [project, session, forget, mode] = ['project', 'session', 'forget', 'mode'].map(at);
const [welcome, holds, turns, form] = ['welcome', 'holds', 'turns', 'ask'].map(at);
const [question, send, stop, status] = ['question', 'send', 'stop', 'status'].map(at);

/** Characters of a conversation's name, which is its first question. */
const NAME = 60;

/** What is being answered; null between questions. */
let answering = null;

const say = (words) => { if (words) status.textContent = words; };

/** Keeps what is chosen in the address, so that a reload goes on with it. */
function remember() {
  const chosen = new URLSearchParams({ project: project.value });
  if (session.value) chosen.set('session', session.value);
  history.replaceState(null, '', `?${chosen}`);
  document.title = `${project.value} · tusab`;
  forget.hidden = !session.value;
  forget.textContent = 'Forget';
}

function options(select, values, chosen) {
  select.replaceChildren(...values.map(([value, label]) => new Option(label, value, false, value === chosen)));
}

async function openProject(name, wanted = null) {
  const { documents, passages, sessions } = await server.project(name);
  holds.textContent = passages
    ? `${name} holds ${documents} ${documents === 1 ? 'document' : 'documents'} in ${passages} passages.`
    : `${name} holds nothing yet: take sources in, then ask.`;
  question.placeholder = `Ask ${name}…`;
  const names = sessions.map((info) => info.name);
  const chosen = names.includes(wanted) ? wanted : '';
  options(session, [['', 'New'], ...names.map((kept) => [kept, kept])], chosen);
  await openSession();
}

async function openSession() {
  remember();
  const kept = session.value ? await server.history(project.value, session.value) : [];
  turns.replaceChildren(...kept.map((turn) => Turn.kept(turn).root));
  welcome.hidden = kept.length > 0;
  turns.lastElementChild?.scrollIntoView({ block: 'start' });
}

/** The conversation that is open; a new one is called by its first question, and by no name that is taken. */
function conversation(asked) {
  if (session.value) return session.value;
  const first = Array.from(asked.replace(/\s+/g, ' ')).slice(0, NAME).join('');
  const taken = new Set([...session.options].map((option) => option.value));
  let name = first;
  for (let n = 2; taken.has(name); n += 1) name = `${first} (${n})`;
  session.add(new Option(name, name, false, true), 1);
  return name;
}

async function ask(asked) {
  const stopping = new AbortController();
  answering = stopping;
  const turn = new Turn(asked);
  const name = conversation(asked);
  remember();
  welcome.hidden = true;
  turns.append(turn.root);
  busy(true);
  turn.begin();
  turn.root.scrollIntoView({ block: 'start' });
  try {
    const how = mode.querySelector(':checked').value;
    const asks = { project: project.value, session: name, question: asked, mode: how };
    let isWhole = false;
    for await (const event of server.ask(asks, stopping.signal)) {
      say(turn.take(event));
      isWhole = event.type === 'done' || event.type === 'failed';
    }
    if (!isWhole) turn.fail('The program ended before the answer did.');
  } catch (error) {
    if (stopping.signal.aborted) {
      turn.stop();
      say('Stopped.');
    } else {
      turn.fail(error.message);
      say(error.message);
    }
  }
  turn.end();
  answering = null;
  busy(false);
}

function busy(is) {
  const hadFocus = document.activeElement === send || document.activeElement === stop;
  send.hidden = is;
  stop.hidden = !is;
  for (const choice of [project, session, forget]) choice.disabled = is;
  if (hadFocus) (is ? stop : question).focus();
}

/** Does what a choice asks for; what goes wrong is said where answers are. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    const turn = new Turn('');
    turn.fail(error.message);
    turns.append(turn.root);
    say(error.message);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const asked = question.value.trim();
  if (!asked || answering || !project.value) return;
  question.value = '';
  ask(asked);
});
stop.addEventListener('click', () => answering?.abort());
project.addEventListener('change', () => attempt(() => openProject(project.value)));
session.addEventListener('change', () => attempt(openSession));
forget.addEventListener('blur', () => { forget.textContent = 'Forget'; });
forget.addEventListener('click', () => attempt(async () => {
  // What is gone cannot be had back, so it takes two.
  if (forget.textContent === 'Forget') {
    forget.textContent = 'Forget for good?';
    return;
  }
  await server.forget(project.value, session.value);
  await openProject(project.value);
  question.focus();
}));

question.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { activeElement: here } = document;
  const isWriting = here === question && question.value !== '';
  const isChoosing = here?.matches('select, input');
  if (event.key === '/' && here !== question) {
    event.preventDefault();
    question.focus();
  } else if (event.key === 'Escape') {
    if (answering) answering.abort();
    else question.focus();
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !isWriting && !isChoosing) {
    if (step(event.key === 'ArrowDown' ? 1 : -1)) event.preventDefault();
  }
});

attempt(async () => {
  const { projects, first } = await server.projects();
  const wanted = new URLSearchParams(location.search);
  const chosen = [wanted.get('project'), first, projects[0]].find((name) => projects.includes(name));
  options(project, projects.map((name) => [name, name]), chosen);
  if (chosen) await openProject(chosen, wanted.get('session'));
  question.focus();
});
