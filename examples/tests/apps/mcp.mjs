// The official client of the protocol against the program `mcp`.

import assert from 'node:assert/strict';

import { load, run } from './common.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const QUESTION = 'Quantas horas de sol a hortelã precisa?';

/** Starts the program, uses it, and sees that it has told nothing beside the protocol. */
async function connected(program, data, use) {
    const transport = new StdioClientTransport({ command: program, args: ['--data', data], stderr: 'pipe' });
    const faults = [];
    let told = '';
    transport.stderr.on('data', (piece) => (told += piece));
    const client = new Client({ name: 'test', version: '1' });
    client.onerror = (error) => faults.push(error);
    await client.connect(transport);
    try {
        await use(client);
    } finally {
        await client.close();
    }
    assert.deepEqual(faults, []);
    assert.equal(told, '');
}

/** The structured result of a tool; the text beside it says the same. */
async function call(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result));
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
}

/** What a tool that gives nothing says instead. */
async function refusal(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError, true, JSON.stringify(result));
    return result.content[0].text;
}

async function tools(program, data) {
    await connected(program, data, async (client) => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((tool) => tool.name).sort(), ['list_projects', 'read_source', 'search_knowledge']);
        for (const tool of tools) {
            assert.ok(tool.description.length > 20, tool.name);
            assert.equal(tool.annotations.readOnlyHint, true);
            assert.equal(tool.outputSchema.type, 'object');
            // Formats that are Rust's own make clients complain.
            assert.doesNotMatch(JSON.stringify(tool), /"format"/);
        }
        const { inputSchema } = tools.find((tool) => tool.name === 'search_knowledge');
        assert.deepEqual(inputSchema.required, ['query']);
        assert.ok(inputSchema.properties.limit.description);
        assert.match(JSON.stringify(inputSchema), /"maximum":50/);
        assert.match(JSON.stringify(inputSchema), /narrow/);

        const { projects } = await call(client, 'list_projects', {});
        assert.deepEqual(projects.map((project) => project.name), ['Horta', 'Obra']);
        assert.equal(projects[0].documents, 3);
        assert.ok(projects[0].passages > 3);

        const found = await call(client, 'search_knowledge', { query: QUESTION, project: 'Horta' });
        const [first] = found.passages;
        assert.equal(first.document, 'youtube:hv7Qk2LrT0c');
        assert.equal(first.link, `https://www.youtube.com/watch?v=hv7Qk2LrT0c&t=${first.start_s}s`);
        assert.ok(first.start_s >= 38);
        assert.match(first.text, /hortelã/);
        assert.equal(found.no_context, null);
        assert.ok(found.confidence > 0.5);
        assert.deepEqual(found.degraded, []);
        const two = await call(client, 'search_knowledge', { query: QUESTION, project: 'Horta', limit: 2 });
        assert.deepEqual(two.passages.map((passage) => passage.passage),
            found.passages.slice(0, 2).map((passage) => passage.passage));

        const nothing = await call(client, 'search_knowledge', { query: 'xilofone barroco', project: 'Horta' });
        assert.match(nothing.no_context, /no passage holds/);
        const broad = await call(client, 'search_knowledge', { query: QUESTION, project: 'Horta', mode: 'broad' });
        assert.ok(broad.passages.length > 0);
        assert.ok(broad.degraded[0].reason && broad.degraded[0].remedy, 'no model is here');

        const around = await call(client, 'read_source',
            { document: first.document, project: 'Horta', passage: first.passage, around: 1 });
        assert.ok(around.passages.some((passage) => passage.passage === first.passage && passage.text === first.text));
        assert.ok(around.passages.length >= 2 && around.passages.length <= 3);
        assert.match(around.passages.at(-1).link, /[?&]t=\d+s$/);

        // A long document is read to its end, each passage once and in order.
        const { passages: [hit] } = await call(client, 'search_knowledge', { query: 'prazo de entrega', project: 'Obra' });
        const numbers = [];
        let from = 0;
        while (from !== null) {
            const part = await call(client, 'read_source', { document: hit.document, project: 'Obra', from });
            numbers.push(...part.passages.map((passage) => passage.number));
            assert.ok(part.passages.reduce((sum, passage) => sum + passage.text.length, 0) <= 20_000);
            assert.ok(part.next === null || part.next > from);
            if (part.next === null) assert.equal(numbers.length, part.of);
            from = part.next;
        }
        assert.deepEqual(numbers, numbers.map((_, at) => at));
        const wide = await call(client, 'read_source',
            { document: hit.document, project: 'Obra', passage: hit.passage, around: 20 });
        assert.ok(wide.passages.some((passage) => passage.passage === hit.passage));
    });
}

async function resources(program, data) {
    await connected(program, data, async (client) => {
        const { resourceTemplates: [template] } = await client.listResourceTemplates();
        assert.equal(template.uriTemplate, 'tusab://{folder}/{document}');
        const { resources, nextCursor } = await client.listResources();
        assert.equal(nextCursor, undefined);
        assert.equal(resources.length, 4);
        const video = resources.find((resource) => resource.uri === 'tusab://horta/youtube:hv7Qk2LrT0c');
        assert.equal(video.title, 'Horta na varanda, por onde começar');
        const { contents: [content] } = await client.readResource({ uri: video.uri });
        assert.equal(content.mimeType, 'text/plain');
        assert.match(content.text, /hortelã/);
        // From a cursor on, the rest; the last one leads to nothing more.
        const rest = await client.listResources({ cursor: resources[1].uri });
        assert.deepEqual(rest.resources.map((resource) => resource.uri), resources.slice(2).map((resource) => resource.uri));
        assert.deepEqual((await client.listResources({ cursor: resources[3].uri })).resources, []);
        const hostile = ['', 'tusab://', 'tusab://horta', 'tusab://../../etc/passwd', 'tusab://horta/../../etc/passwd',
            'tusab://horta/youtube:..%2F..', 'tusab://nenhum/youtube:hv7Qk2LrT0c', 'file:///etc/passwd', 'tusab://horta/text:\0'];
        for (const uri of hostile) {
            await assert.rejects(client.readResource({ uri }), /list the resources/, uri);
        }
        await assert.rejects(client.listResources({ cursor: '../x' }), /list the resources/);
    });
}

async function hostile(program, data) {
    await connected(program, data, async (client) => {
        const search = (args) => refusal(client, 'search_knowledge', { query: QUESTION, ...args });
        const read = (args) => refusal(client, 'read_source', { project: 'Horta', document: 'youtube:hv7Qk2LrT0c', ...args });
        for (const project of ['Nenhum', '../../etc', 'Horta\0', '', 'horta/..', 'x'.repeat(100_000)]) {
            const told = await search({ project });
            assert.match(told, /there is no project/);
            assert.match(told, /"Horta", "Obra"/);
            assert.ok(told.length < 400, 'a name of any length is not told back whole');
        }
        assert.match(await search({}), /say which `project`: "Horta", "Obra"/);
        for (const limit of [0, -1, 51, 1e15]) {
            assert.match(await search({ project: 'Horta', limit }), /`limit` is .*: give a number from 1 to 50/);
        }
        assert.match(await search({ project: 'Horta', query: ' \n ' }), /empty/);
        assert.match(await search({ project: 'Horta', query: 'á'.repeat(100_000) }), /100000 characters/);
        // Any text is a query.
        for (const query of ['a\0b', '"', '(((', 'AND OR NOT', '*:*', "'; DROP TABLE chunks; --", '\u202e\ufeff', '🌿'.repeat(5000)]) {
            await call(client, 'search_knowledge', { query, project: 'Horta' });
        }
        for (const document of ['../../etc/passwd', '/etc/passwd', 'file:../x', 'youtube:a\0b', '', 'youtube:' + 'x'.repeat(99_999)]) {
            const told = await read({ document });
            assert.match(told, /take the `document` of a search result/);
        }
        assert.match(await read({ document: 'youtube:nenhumvideo' }), /is not in the project "Horta"/);
        assert.match(await read({ passage: 'zz' }), /take the `passage` of a search result/);
        assert.match(await read({ passage: '0'.repeat(32) }), /has no passage/);
        assert.match(await read({ passage: '0'.repeat(32), from: 1 }), /not both/);
        assert.match(await read({ passage: '0'.repeat(32), around: 1000 }), /`around` is 1000/);
        assert.match(await read({ from: 100_000 }), /counted from 0: there is none 100000/);
        assert.match(await read({ from: -1 }), /`from` is -1/);
        // What does not fit the schema is told with what would.
        assert.match(await refusal(client, 'search_knowledge', { query: 1 }), /expected a string/);
        assert.match(await search({ limit: 'six' }), /expected i64/);
        assert.match(await search({ limit: 1e300 }), /expected i64/);
        assert.match(await search({ mode: 'deep' }), /expected `narrow` or `broad`/);
        assert.match(await search({ question: QUESTION }), /expected one of `query`, `project`, `limit`, `mode`/);
        await assert.rejects(client.callTool({ name: 'delete_everything', arguments: {} }));
        // Nothing of all this has made or broken anything.
        const { projects, unreadable } = await call(client, 'list_projects', {});
        assert.deepEqual([projects.map((project) => project.name), unreadable], [['Horta', 'Obra'], []]);
    });
}

await run({ tools, resources, hostile });
