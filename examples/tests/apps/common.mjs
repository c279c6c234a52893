// What the scripts share: the packages that scripts/assets.sh has fetched, and how a scenario is run.

import { createRequire } from 'node:module';
import { join } from 'node:path';

export const load = createRequire(join(process.env.TUSAB_NODE_APPS, 'package.json'));

/** Runs the scenario that the command line names, with the rest of the command line. */
export async function run(scenarios) {
    const [name, ...rest] = process.argv.slice(2);
    if (!Object.hasOwn(scenarios, name)) throw new Error(`there is no scenario ${name}`);
    await scenarios[name](...rest);
    process.stdout.write(`${name}: done\n`);
}
