// A browser on the page of `web`. Beside the scenarios of the tests, `screens PROGRAM '' DIR` takes the pictures of the
// guide, over the samples.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { load, run } from './common.mjs';

const { launch } = load('puppeteer-core');

const QUESTION = 'Quantas horas de sol a hortelã precisa?';
const ANSWER = ['A hortelã precisa de ', 'três a quatro horas', ' de sol pela manhã [1].'];

/** A language model that says what the next scene wants. A scene writes pieces, and may wait for the test in between. */
async function startModel() {
    const scenes = [];
    const server = createServer(async (request, response) => {
        let body = '';
        for await (const piece of request) body += piece;
        if (request.method !== 'POST') return response.writeHead(404).end();
        const { stream } = JSON.parse(body);
        const scene = scenes.shift() ?? (async (say) => say('…'));
        if (!stream) {
            let text = '';
            await scene((piece) => (text += piece), response);
            response.setHeader('content-type', 'application/json');
            const message = { role: 'assistant', content: text };
            return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
        }
        response.setHeader('content-type', 'text/event-stream');
        const chunk = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({
            id: 'a', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices: [{ index: 0, delta, finish_reason }],
        })}\n\n`);
        await scene((content) => chunk({ content }), response);
        chunk({}, 'stop');
        return response.end('data: [DONE]\n\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${server.address().port}/v1`, scenes, end: () => server.close() };
}

/** A moment that the test lets come. */
function gate() {
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    return { open, opened };
}

async function startProgram(program, args) {
    const child = spawn(program, [...args, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    process.on('exit', () => child.kill());
    const [line] = await once(createInterface(child.stdout), 'line');
    const address = /http:\/\/[^/]+\//.exec(line)[0];
    return {
        address,
        end: async () => {
            if (child.exitCode !== null) return;
            child.kill('SIGINT');
            await once(child, 'exit');
        },
    };
}

/** Opens the page in a browser, uses it, and sees that nothing went wrong and no request went elsewhere. */
async function browsing(program, data, use, { withModel = true, args = [], expected = /^$/ } = {}) {
    const model = await startModel();
    const provider = withModel ? ['--provider', 'openai-compatible', '--model', 'scripted', '--url', model.url] : [];
    const web = await startProgram(program, [...(data ? ['--data', data] : []), ...provider, ...args]);
    const browser = await launch({
        executablePath: process.env.TUSAB_CHROMIUM,
        headless: 'shell',
        args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
            '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
    try {
        const page = await browser.newPage();
        const faults = [];
        page.setDefaultTimeout(120_000);
        page.on('pageerror', (error) => faults.push(String(error)));
        page.on('console', (message) => { if (['error', 'warn'].includes(message.type())) faults.push(message.text()); });
        page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
        page.on('request', (request) => {
            if (!request.url().startsWith(web.address)) faults.push(`request: ${request.url()}`);
        });
        await page.goto(web.address);
        await ready(page);
        await use({ page, browser, model, web });
        assert.deepEqual(faults.filter((fault) => !expected.test(fault)), []);
    } finally {
        await browser.close();
        await web.end();
        model.end();
    }
}

/** The page opens on this project. */
const HORTA = ['--project', 'Horta'];

const ready = (page) => page.waitForFunction(() => document.querySelector('#holds').textContent !== '');
const settled = (page) => page.waitForFunction(() =>
    document.querySelector('.turn') && !document.querySelector('[aria-busy]') && !document.querySelector('#send').hidden);
const text = (page, selector) => page.$eval(selector, (element) => element.innerText);
const active = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.className);

async function ask(page, question) {
    await page.focus('#question');
    await page.keyboard.type(question);
    await page.keyboard.press('Enter');
}

async function streams(program, data) {
    await browsing(program, data, async ({ page, model }) => {
        const held = gate();
        model.scenes.push(async (say) => { say(ANSWER[0]); await held.opened; say(ANSWER[1]); say(ANSWER[2]); });
        await ask(page, QUESTION);
        // The first words stand there while the model still speaks, and the sources before them.
        await page.waitForFunction((words) => document.querySelector('.text')?.innerText.trim() === words, {}, ANSWER[0].trim());
        assert.ok(await page.$('.source a.open'));
        assert.equal(await page.$eval('.turn', (turn) => turn.getAttribute('aria-busy')), 'true');
        assert.ok(await page.$eval('#stop', (stop) => !stop.hidden));
        held.open();
        await settled(page);
        assert.equal((await text(page, '.text')).replace(/\s+/g, ' ').trim(), 'A hortelã precisa de três a quatro horas de sol pela manhã 1.');
        assert.match(await text(page, '#status'), /^Answer: A hortelã precisa de três/);

        const [link, rel, shown] = await page.$eval('.source .open', (open) => [open.href, open.rel, open.innerText]);
        assert.match(link, /^https:\/\/www\.youtube\.com\/watch\?v=hv7Qk2LrT0c&t=\d+s$/);
        assert.match(rel, /noopener/);
        const seconds = Number(/t=(\d+)s/.exec(link)[1]);
        assert.ok(shown.includes(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`), shown);
        assert.match(await text(page, '.source mark'), /hortelã/);
        await page.click('.text .mark');
        assert.equal(await page.evaluate(() => document.activeElement === document.querySelector('.source .open')), true);

        // The engine has kept it: another visit finds it, under its first question.
        await page.reload();
        await page.waitForSelector('.turn');
        assert.equal(await page.$eval('#session', (session) => session.value), QUESTION);
        assert.match(await text(page, '.text'), /três a quatro horas/);
        assert.match(await page.$eval('.source .open', (open) => open.href), /&t=\d+s$/);
        // And forgets it when told twice.
        await page.click('#forget');
        await page.click('#forget');
        await page.waitForFunction(() => document.querySelector('#session').options.length === 1);
        assert.equal(await page.$('.turn'), null);
    }, { args: HORTA });
}

async function stops(program, data) {
    await browsing(program, data, async ({ page, model }) => {
        for (const stop of [() => page.keyboard.press('Escape'), () => page.click('#stop')]) {
            const closed = gate();
            model.scenes.push(async (say, response) => {
                response.on('close', closed.open);
                say(ANSWER[0]);
                await closed.opened;
            });
            await ask(page, QUESTION);
            await page.waitForFunction((words) =>
                [...document.querySelectorAll('.turn')].at(-1)?.querySelector('.text').innerText.trim() === words, {}, ANSWER[0].trim());
            await stop();
            // The model is told to stop, not only not listened to.
            await closed.opened;
            await settled(page);
            assert.match(await page.$$eval('.turn', (turns) => turns.at(-1).innerText), /You stopped this answer/);
        }
        await page.reload();
        await page.waitForSelector('.turn');
        const kept = await page.$$eval('.turn', (turns) => turns.map((turn) => turn.innerText));
        assert.equal(kept.length, 2);
        for (const turn of kept) assert.match(turn, /A hortelã precisa de[\s\S]*You stopped this answer/);
        // And the conversation goes on.
        model.scenes.push(async (say) => say('Sim [1].'));
        await ask(page, QUESTION);
        await settled(page);
        assert.match(await page.$$eval('.turn', (turns) => turns.at(-1).innerText), /Sim/);
    }, { args: HORTA });
}

async function hostile(program, data) {
    await browsing(program, data, async ({ page, model }) => {
        const markup = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
        model.scenes.push(async (say) => say(`${markup} [prazo](javascript:window.pwned=1) **<i>b</i>** \`<u>c</u>\` [1] [99]`));
        await page.select('#project', '<b>Armadilha</b>');
        await page.waitForFunction(() => document.querySelector('#holds').textContent.includes('1 document '));
        assert.match(await text(page, '#holds'), /^<b>Armadilha<\/b> holds/);
        await ask(page, `Qual é o prazo da armadilha? ${markup}`);
        await settled(page);
        // All of it is there, to be read.
        assert.ok((await text(page, '.question')).includes(markup));
        const answer = await text(page, '.text');
        assert.ok(answer.includes(`${markup} [prazo](javascript:window.pwned=1) <i>b</i> <u>c</u>`), answer);
        const title = await text(page, '.source .title');
        assert.ok(title.startsWith(markup), title);
        await page.$eval('.source summary', (summary) => summary.click());
        const passage = await text(page, '.source .passage');
        assert.ok(passage.includes('<script>window.pwned=1</script>'), passage);
        await page.$eval('.source .open', (open) => open.click());
        // And none of it is anything else.
        const made = await page.evaluate(() => ({
            pwned: window.pwned,
            elements: document.querySelectorAll('#turns :is(img, script, i, b, u, iframe, [onerror])').length,
            links: [...document.querySelectorAll('a[href]')].map((link) => new URL(link.href).protocol),
        }));
        assert.equal(made.pwned, undefined);
        assert.equal(made.elements, 0);
        assert.ok(made.links.every((protocol) => protocol === 'http:' || protocol === 'https:'), made.links);
        // A link that a source claims to be at is opened only if it is of the web.
        const links = await page.evaluate(async () => {
            const { webAddress } = await import('/text.js');
            return ['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'blob:x', '//x', null,
                'https://example.org/?q="><b>'].map(webAddress);
        });
        assert.deepEqual(links, [null, null, null, null, null, null, null, 'https://example.org/?q=%22%3E%3Cb%3E']);
        // The kept conversation is as harmless, its name among it.
        await page.reload();
        await page.waitForSelector('.turn .source');
        assert.equal(await page.evaluate(() => window.pwned), undefined);
        assert.equal(await page.$$eval('#turns :is(img, script)', (all) => all.length), 0);
        // Were there a hole, the policy would still close it.
        const closed = await page.evaluate(() => {
            try {
                document.querySelector('#turns').innerHTML = '<b>x</b>';
                return false;
            } catch {
                return true;
            }
        });
        assert.ok(closed, 'trusted types are enforced');
    }, { expected: /requires 'TrustedHTML' assignment/ });
}

async function keyboard(program, data) {
    await browsing(program, data, async ({ page, model }) => {
        const { keyboard } = page;
        await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
        model.scenes.push(async (say) => ANSWER.forEach(say));
        assert.equal(await active(page), 'question', 'one can write at once');
        await keyboard.down('Shift');
        await keyboard.press('Tab');
        assert.equal(await page.evaluate(() => document.activeElement.value), 'narrow');
        await keyboard.press('Tab');
        assert.equal(await page.evaluate(() => document.activeElement.id), 'session');
        await keyboard.press('Tab');
        await keyboard.up('Shift');
        assert.equal(await active(page), 'project');
        await keyboard.press('/');
        assert.equal(await active(page), 'question');
        await keyboard.type('Quantas horas de sol');
        await keyboard.down('Shift');
        await keyboard.press('Enter');
        await keyboard.up('Shift');
        await keyboard.type('a hortelã precisa?');
        assert.equal(await page.$('.turn'), null, 'Shift and Enter begin a line');
        await keyboard.press('ArrowUp');
        assert.equal(await active(page), 'question', 'arrows move in what is being written');
        await keyboard.press('Enter');
        await settled(page);
        assert.equal(await text(page, '.question'), 'Quantas horas de sol\na hortelã precisa?');

        const which = () => page.evaluate(() =>
            [...document.querySelectorAll('.source .open')].indexOf(document.activeElement));
        const count = await page.$$eval('.source .open', (all) => all.length);
        assert.ok(count > 1);
        await keyboard.press('ArrowDown');
        assert.equal(await which(), 0);
        await keyboard.press('ArrowDown');
        assert.equal(await which(), 1);
        await keyboard.press('ArrowUp');
        await keyboard.press('ArrowUp');
        assert.equal(await which(), 0, 'there is nothing before the first');
        // Enter opens it; here that is only taken down, since nothing may leave this machine.
        await page.evaluate(() => document.addEventListener('click', (event) => {
            event.preventDefault();
            window.opened = event.target.closest('a')?.href;
        }, { once: true }));
        await keyboard.press('Enter');
        assert.match(await page.evaluate(() => window.opened), /&t=\d+s$/);
        await keyboard.press('Escape');
        assert.equal(await active(page), 'question');
        await keyboard.press('ArrowUp');
        assert.equal(await which(), count - 1);
        const isSeen = await page.evaluate(() => {
            const { left, top, bottom } = document.activeElement.getBoundingClientRect();
            return [top + 2, bottom - 2].every((y) => document.activeElement.contains(document.elementFromPoint(left + 9, y)));
        });
        assert.ok(isSeen, 'what has the focus is not under what stays in place (WCAG 2.2, 2.4.11)');
        await keyboard.press('/');
        assert.equal(await active(page), 'question');
        assert.equal(await page.$eval('#question', (question) => question.value), '');
        // Another way to search is two keys away.
        await page.focus('[value=narrow]');
        await keyboard.press('ArrowRight');
        assert.equal(await page.$eval('#mode :checked', (mode) => mode.value), 'broad');
        const unseen = await page.evaluate(() => [...document.querySelectorAll('button, select, textarea, a[href], summary')]
            .filter((element) => element.checkVisibility() && element.tabIndex < 0).length);
        assert.equal(unseen, 0, 'all can be reached');
    }, { args: HORTA });
}

async function phone(program, data) {
    await browsing(program, data, async ({ page, model }) => {
        await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
        model.scenes.push(async (say) => say(`${'A'.repeat(400)} [1]\n\n\`\`\`\n${'b'.repeat(400)}\n\`\`\`\n\n- ${ANSWER.join('')}`));
        // A change between kinds of screen loads the page anew.
        await page.setViewport({ width: 360, height: 740, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
        await ready(page);
        await page.select('#project', '<b>Armadilha</b>');
        await page.waitForFunction(() => document.querySelector('#holds').textContent.includes('1 document '));
        await ask(page, 'Qual é o prazo da armadilha?');
        await settled(page);
        await page.$eval('.source summary', (summary) => summary.click());
        await ask(page, 'q'.repeat(300));
        await page.waitForFunction(() => document.querySelectorAll('.turn').length === 2);
        await settled(page);
        assert.equal(await page.evaluate(() => document.getAnimations().length), 0, 'nothing moves');
        for (const width of [360, 320]) {
            await page.setViewport({ width, height: 740, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
            const wide = await page.evaluate(() => ({
                page: document.documentElement.scrollWidth,
                beyond: [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility()
                    && !element.closest('pre, .unseen, .skip') && element.getBoundingClientRect().right > innerWidth + 1)
                    .map((element) => element.className || element.localName),
            }));
            assert.deepEqual([wide.page, wide.beyond], [width, []]);
            // What is touched is large enough for a finger.
            const small = await page.$$eval('#send, select, #mode label', (all) => all
                .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 24).length);
            assert.equal(small, 0);
        }
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const colours = [];
        for (const value of ['light', 'dark']) {
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
            colours.push(await paper());
            const low = await page.evaluate(contrasts);
            assert.deepEqual(low, [], `${value}: every text stands out from its ground (WCAG 2.2, 1.4.3)`);
        }
        assert.notEqual(colours[0], colours[1]);
    });
}

/** Texts whose contrast with what is behind them is below 4.5, measured as WCAG 2.2 says. Runs in the page. */
function contrasts() {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const over = (colours) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => rgb.map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const low = [];
    for (const element of document.querySelectorAll('body *')) {
        const says = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!says || !element.checkVisibility() || element.closest('.unseen, .skip, noscript, option, :disabled')) continue;
        const grounds = [];
        for (let at = element; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
        const back = luminance(over(grounds));
        const front = luminance(over([...grounds, getComputedStyle(element).color]));
        const ratio = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
        if (ratio < 4.5) low.push(`${element.className || element.localName}: ${ratio.toFixed(2)}`);
    }
    return low;
}

async function missing(program, data) {
    // Without a language model the answer quotes, and says so.
    await browsing(program, data, async ({ page }) => {
        await ask(page, QUESTION);
        await settled(page);
        assert.match(await text(page, '.text'), /sem modelo de linguagem/);
        assert.ok(await page.$('.text blockquote .mark'));
        await page.click('#mode [value=broad]');
        await ask(page, 'Com quem fica a chave do tambor de chuva?');
        await page.waitForFunction(() => document.querySelectorAll('.turn').length === 2);
        await settled(page);
        const notes = await page.$$eval('.turn:last-child .note', (all) => all.map((note) => note.innerText));
        assert.ok(notes.some((note) => /cross-encoder|model/i.test(note) && note.length > 40), notes.join('\n'));
        await page.click('#mode [value=narrow]');
        await ask(page, 'xilofone barroco');
        await page.waitForFunction(() => document.querySelectorAll('.turn').length === 3);
        await settled(page);
        assert.match(await page.$eval('.turn:last-child .note', (note) => note.innerText), /Nothing in this project says any of these words/);
        assert.equal(await page.$('.turn:last-child .source'), null);
    }, { withModel: false, args: HORTA });
    // A program that does not answer is told too, and what is asked after that is answered.
    await browsing(program, data, async ({ page }) => {
        await page.setOfflineMode(true);
        await ask(page, QUESTION);
        await settled(page);
        assert.match(await text(page, '.note.wrong'), /does not answer: it may have ended/);
        await page.setOfflineMode(false);
        await ask(page, QUESTION);
        await page.waitForFunction(() => document.querySelectorAll('.turn').length === 2);
        await settled(page);
        assert.ok(await page.$('.turn:last-child .source'));
    }, { withModel: false, args: HORTA, expected: /ERR_INTERNET_DISCONNECTED/ });
}

async function screens(program, data, folder) {
    const shots = [['light', 840, 600], ['dark', 840, 600], ['phone', 360, 640], ['phone-dark', 360, 640]];
    await browsing(program, data, async ({ page, model }) => {
        const take = (name) => page.screenshot({ path: join(folder, `web-${name}.png`) });
        await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
        await page.setViewport({ width: 840, height: 600 });
        await take('welcome');
        model.scenes.push(async (say) => ANSWER.forEach(say));
        await ask(page, QUESTION);
        await settled(page);
        for (const [name, width, height] of shots) {
            await page.setViewport({ width, height });
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: name.includes('dark') ? 'dark' : 'light' },
                { name: 'prefers-reduced-motion', value: 'reduce' }]);
            await page.$eval('.turn', (turn) => turn.scrollIntoView());
            await take(name);
        }
    }, { args: HORTA });
}

await run({ streams, stops, hostile, keyboard, phone, missing, screens });
