// Serves recorded answers in the form of every provider, by the package @copilotkit/aimock.
//
// Listens on a free port of 127.0.0.1, writes `URL http://...` and ends when its standard input does. TUSAB_AIMOCK names
// the package's folder.
import { pathToFileURL } from "node:url";

const { LLMock } = await import(pathToFileURL(`${process.env.TUSAB_AIMOCK}/dist/index.js`).href);
const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 3 });
const text = "A ação é boa: 👩‍🚀 três, ok.";
mock.onMessage(/plain/, { content: text });
mock.onMessage(/cut/, { content: text, finishReason: "length" });
mock.onMessage(/thinking/, { content: text, reasoning: "Hm, não…" });
for (const [word, status, type, code] of [
  ["unauthorized", 401, "authentication_error", "invalid_api_key"],
  ["limited", 429, "rate_limit_error", "rate_limit_exceeded"],
  ["broken", 500, "server_error", null],
  ["missing", 404, "not_found_error", "model_not_found"],
]) {
  mock.onMessage(new RegExp(word), { error: { message: `it is ${word}`, type, code }, status, retryAfter: 7 });
}
await mock.start();
console.log(`URL ${mock.url}`);
process.stdin.resume();
process.stdin.on("end", async () => {
  await mock.stop();
  process.exit(0);
});
