import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPrimaryRampEmulator } from '../../devnet/emulators/primary-ramp/start-primary-ramp-emulator';
import { createHttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { primaryRampSignature } from '../../src/ramps/providers/primary/sign-request';
import { universeOfTests } from '../setup/universe-of-tests';
import { ANA } from './primary-ramp-people';
import { type LocalPrimaryRamp, PAYER_INDEX, startLocalPrimaryRamp } from './primary-ramp-world';

/** Shorter than a test may take, so that a ticket that never completes is reported with its status. */
const END_MS = 90_000;

let local: LocalPrimaryRamp;
let wallet: string;
beforeAll(async () => {
  const universe = await universeOfTests();
  local = await startLocalPrimaryRamp(universe);
  wallet = universe.accounts[PAYER_INDEX]!.address;
});
afterAll(() => local.stop());

const timeout = (): AbortSignal => AbortSignal.timeout(60_000);

it('keeps its state, and continues pending tickets, after a restart of the emulator', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'primary-ramp-'));
  const { chain } = local;
  const start = () =>
    startPrimaryRampEmulator({
      chains: [{ chainId: chain.chainId, rpcUrl: chain.rpcUrl, tokens: chain.tokens, network: 'POLYGON' }],
      stateFile: path.join(directory, 'state.json'),
      control: { autoPayMs: 500, stepMs: 50, autoApproveMs: 10 },
    });
  const networks = { [chain.chainId]: 'POLYGON' } as const;
  const connect = (emulator: Awaited<ReturnType<typeof start>>) => {
    const client = createHttpClient({ baseUrl: emulator.url, sign: primaryRampSignature(emulator) });
    return { client, primary: createPrimaryRamp({ http: client, apiUrl: emulator.url, networks }) };
  };
  const first = await start();
  const one = connect(first);
  const requestedSince = new Date();
  const account = await one.primary.openAccount(ANA, { kycUserId: 'stays' }, timeout());
  await fetch(`${first.url}/_control/accounts/${account.accountId}`, { method: 'POST', body: '{"confirmed":true}' });
  const route = local.routeOf('BRLA');
  const quoteRequest = { route, side: 'in', amount: toBaseUnits(1000n), account, thirdParty: false } as const;
  const quote = await one.primary.quote(quoteRequest, timeout());
  const request = { route, quote, account, externalId: 'stays', walletAddress: wallet, payout: undefined };
  const { ticketId } = await one.primary.openTicket(request, timeout());
  await one.client.close();
  await first.stop();
  const second = await start();
  const two = connect(second);
  expect(await two.primary.openAccount(ANA, { kycUserId: 'stays', requestedSince }, timeout())).toEqual(account);
  for (const end = Date.now() + END_MS; ;) {
    await wait(60);
    const { status } = await two.primary.ticketState(ticketId, { ...account, request }, timeout());
    if (status === 'completed') break;
    if (Date.now() > end) throw new Error(`not completed, but ${status}`);
  }
  await two.client.close();
  await second.stop();
  await rm(directory, { recursive: true });
});
