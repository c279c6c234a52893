// What the program is asked.

/** What went wrong, in the program's own words. */
export class Refused extends Error {}

async function answered(request) {
  let response;
  try {
    response = await request;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused('The program does not answer: it may have ended. Start it again, and reload this page.');
  }
  if (!response.ok) throw new Refused(await response.text());
  return response;
}

const address = (path, query) => `${path}?${new URLSearchParams(query)}`;
const read = async (path, query = {}) => (await answered(fetch(address(path, query)))).json();

export const projects = () => read('/api/projects');
export const project = (name) => read('/api/project', { project: name });
export const history = (name, session) => read('/api/history', { project: name, session });
export const forget = (name, session) =>
  answered(fetch(address('/api/session', { project: name, session }), { method: 'DELETE' }));

/** The events of an answer, as the engine tells them; see `AnswerEvent`. */
export async function* ask(question, signal) {
  const response = await answered(fetch('/api/ask', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal,
  }));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // An event ends with an empty line; what stands after the last one is not whole yet.
    const events = (rest + value).split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
      if (data.length) yield JSON.parse(data.join('\n'));
    }
  }
}
