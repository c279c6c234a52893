// The report page in a browser: `page.mjs PAGE NAME TITLE CHARTS [PICTURES]` opens a file and sees that it stands alone, fits a
// phone, shows its charts, and takes nothing of what it is about for markup. PICTURES is a folder for screenshots.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { launch } = createRequire(join(process.env.TUSAB_NODE_APPS, 'package.json'))('puppeteer-core');

const [file, name, title, charts, pictures] = process.argv.slice(2);
const address = pathToFileURL(file).href;

const browser = await launch({
    executablePath: process.env.TUSAB_CHROMIUM,
    headless: 'shell',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
        '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND'],
});
try {
    const page = await browser.newPage();
    const faults = [];
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => faults.push(String(error)));
    // What the policy refuses is told here too.
    page.on('console', (message) => faults.push(message.text()));
    page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', (request) => { if (request.url() !== address) faults.push(`request: ${request.url()}`); });

    for (const width of [320, 360, 1280]) {
        for (const scheme of ['light', 'dark']) {
            await page.setViewport({ width, height: 740, isMobile: width < 500, hasTouch: width < 500, deviceScaleFactor: 2 });
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
            await page.goto(address);
            const told = `${width} ${scheme}`;
            const wide = await page.evaluate(() => ({
                page: document.documentElement.scrollWidth,
                beyond: [...document.querySelectorAll('body *')]
                    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
                    .map((element) => `${element.localName}: ${element.textContent.slice(0, 40)}`),
            }));
            assert.deepEqual(wide, { page: width, beyond: [] }, told);
            const drawn = await page.$$eval('svg', (all) => all.map((svg) => {
                const marks = [...svg.querySelectorAll('rect')].map((mark) => mark.getBoundingClientRect());
                const { width, height } = svg.getBoundingClientRect();
                return width > 200 && height > 5 && svg.getAttribute('aria-label') !== '' && marks.some((mark) => mark.width > 0 && mark.height > 0);
            }));
            assert.deepEqual(drawn, Array(Number(charts)).fill(true), `${told}: the charts are drawn`);
            // Text stands out from its ground (WCAG 2.2, 1.4.3).
            assert.deepEqual(await page.evaluate(low), [], told);
            if (pictures) await page.screenshot({ path: join(pictures, `page-${width}-${scheme}.png`), fullPage: true });
        }
    }
    assert.equal(await page.$eval('h1', (heading) => heading.textContent), name);
    assert.equal(await page.title(), name);
    if (title) assert.ok((await page.evaluate(() => document.body.textContent)).includes(title), 'the title is shown as it is');
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.deepEqual(await page.$$eval('script, img, iframe, object, embed, link, form, [onerror], [onload]', (all) => all.map((it) => it.outerHTML)), []);
    for (const link of await page.$$eval('a', (all) => all.map((it) => it.href.baseVal ?? it.href))) assert.match(link, /^https:/);
    assert.deepEqual(faults, []);
} finally {
    await browser.close();
}
process.stdout.write('page: done\n');

/** Texts whose contrast with the page is below 4.5. Runs in the page. */
function low() {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const luminance = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
            .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    };
    const paper = luminance(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll('body *')].filter((element) => {
        if (element.localName === 'title' || ![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) return false;
        const style = getComputedStyle(element);
        const ink = luminance(element instanceof SVGElement ? style.fill : style.color);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
    }).map((element) => element.outerHTML.slice(0, 80));
}
