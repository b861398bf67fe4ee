import 'reflect-metadata';
import { BLIND_SPOTS } from './blind-spots';
import { ChaosFailure } from './chaos-failure';
import { FUZZ } from './fuzz';
import { HISTORIES } from './histories';
import { HOSTILE } from './hostile';
import { KILLS } from './kills';
import { LIMITS } from './limits';
import { OUTAGES } from './outages';
import { REFUSED_STARTS } from './refused-starts';
import { SOAK } from './soak';
import { STOPS } from './stops';
import { TAR_PIT } from './webhook-tar-pit';
import { WEBHOOK_FAULTS } from './webhook-faults';
import { openScenarioSetup, type Scenario, type ScenarioSetup } from './scenario';

const KINDS: Readonly<Record<string, readonly Scenario[]>> = {
  database: OUTAGES,
  fuzz: FUZZ,
  host: [...REFUSED_STARTS, ...BLIND_SPOTS, ...STOPS],
  hostile: HOSTILE,
  kill: KILLS,
  ledger: HISTORIES,
  limits: LIMITS,
  soak: SOAK,
  webhooks: [WEBHOOK_FAULTS, TAR_PIT],
};

const COUNT = /^\d+$/;

/** Makes the kinds of trouble of one group, one after the other, and prints what the operator reads for each. */
async function main([kind = '', ...rest]: readonly string[]): Promise<void> {
  const counts = rest.filter((text) => COUNT.test(text)).map((text) => Number.parseInt(text, 10));
  const filter = rest.find((text) => !COUNT.test(text)) ?? '';
  const scenarios = KINDS[kind]?.filter(({ name }) => name.includes(filter));
  if (scenarios === undefined || scenarios.length === 0) {
    console.error(`Usage: npm run chaos -- ${Object.keys(KINDS).join('|')} [part of the name of a scenario] [counts]`);
    process.exit(2);
  }
  const setup = await openScenarioSetup();
  let failed = 0;
  for (const scenario of scenarios) if (!(await passes(scenario, { setup, counts }))) failed += 1;
  await setup.close();
  console.log(`\n${String(scenarios.length - failed)} of ${String(scenarios.length)} passed`);
  process.exit(failed === 0 ? 0 : 1);
}

async function passes(
  scenario: Scenario,
  { setup, counts }: { readonly setup: ScenarioSetup; readonly counts: readonly number[] },
): Promise<boolean> {
  const { name } = scenario;
  try {
    const sentences = await scenario.run(setup, counts);
    console.log(`pass  ${name}\n${sentences.map((sentence) => `        ${sentence}`).join('\n')}`);
    return true;
  } catch (error) {
    console.log(`FAIL  ${name}\n        ${error instanceof ChaosFailure ? error.message : String(error)}`);
    return false;
  }
}

void main(process.argv.slice(2));
