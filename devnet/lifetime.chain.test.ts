import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, createPublicClient, createWalletClient, erc20Abi, http, parseEther, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { isSuspended, processesNaming } from '../test/setup/processes';
import { CANONICAL } from './canonical-addresses';
import { type Universe, startUniverse } from './universe';

type Chain = Universe['chains'][number];

let directory: string;
let lines: string[];
const running: Universe[] = [];

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'afluente-lifetime-'));
  lines = [];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((universe) => universe.stop()));
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<Universe> {
  const universe = await startUniverse({
    dataDirectory: directory,
    log: (line) => lines.push(line),
    blockTimeSeconds: 0.2,
  });
  running.push(universe);
  return universe;
}

const clientOf = ({ rpcUrl }: Chain) => createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) });

/** Sends ether to the wrapper: a transaction with a log. */
async function wrapEther({ chainId, name, nativeCurrency, rpcUrl }: Chain, privateKey: Hex): Promise<Hex> {
  const wallet = createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: { id: chainId, name, nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } },
    transport: http(rpcUrl),
    pollingInterval: 10,
  }).extend(publicActions);
  const hash = await wallet.sendTransaction({ to: CANONICAL.weth, value: parseEther('7') });
  await wallet.waitForTransactionReceipt({ hash });
  return hash;
}

const wrappedBalance = (chain: Chain, account: Hex) =>
  clientOf(chain).readContract({
    address: CANONICAL.weth,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account],
  });

/** Command lines of the processes that were started with this test's directory. */
const processes = (): string[] => processesNaming(directory).map(({ command }) => command);

/** The process of a chain, if it runs. */
const processOf = (chainId: number): number | undefined =>
  processesNaming(directory).find(
    ({ command }) => command.includes(`--chain-id ${String(chainId)} `) && !command.startsWith('/bin/sh'),
  )?.pid;

/** Whether the state file of the chain `devnet` is whole and has the transaction. */
function hasSaved(hash: Hex): boolean {
  const file = readdirSync(directory).find((name) => /^devnet-[0-9a-f]{8}\.json$/.test(name));
  const text = file === undefined ? '' : readFileSync(path.join(directory, file), 'utf8');
  try {
    return text.includes(hash) && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** Kills `devnet` once it has saved a transaction. It is suspended while that is checked: a kill during a write tears the file. */
async function killOnceSaved(pid: number, hash: Hex): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    while (!isSuspended(pid)) await sleep(5);
    if (hasSaved(hash)) break;
    process.kill(pid, 'SIGCONT');
    await sleep(500); // the file has some megabytes
  }
  process.kill(pid, 'SIGKILL');
}

async function untilNoProcess(): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (processes().length > 0 && Date.now() < deadline) await sleep(20);
}

interface Ready {
  readonly ready: boolean;
  readonly reason?: string;
  readonly chains: readonly Chain[];
  readonly accounts: Universe['accounts'];
}

/** The universe in a process of its own, as the service starts it. */
function forkUniverse(): ChildProcess {
  return fork(path.join(__dirname, 'main.ts'), [directory], {
    execArgv: ['--require', path.resolve(__dirname, '../test/setup/typescript-hook.cjs')],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The next message of a process. @throws when the process ends before it. */
async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const end = once(child, 'exit', { signal }).then(([code, killedBy]) => {
    throw new Error(`the universe ended with ${String(code ?? killedBy)}`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), end])) as [Message];
    return message;
  } finally {
    waiting.abort();
  }
}

/** @throws with the reason when the universe does not start. */
async function startedProcess(): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = forkUniverse();
  const ready = await nextMessage<Ready>(child);
  expect(ready).toMatchObject({ ready: true });
  return { child, ready };
}

describe('a second start', () => {
  it('has the state, blocks, transactions, receipts and logs of the first', async () => {
    const first = await start();
    const { address, privateKey } = first.accounts[2]!;
    const hashes = await Promise.all(first.chains.map((chain) => wrapEther(chain, privateKey)));
    const balances = await Promise.all(first.chains.map((chain) => wrappedBalance(chain, address)));
    const ether = await clientOf(first.chains[0]!).getBalance({ address });
    const receipts = await Promise.all(
      first.chains.map((chain, index) => clientOf(chain).getTransactionReceipt({ hash: hashes[index]! })),
    );
    await first.stop();

    const second = await start();
    expect(lines).toEqual([]);
    expect(await clientOf(second.chains[0]!).getBalance({ address })).toBe(ether);
    for (const [index, chain] of second.chains.entries()) {
      const client = clientOf(chain);
      const receipt = receipts[index]!;
      expect(await wrappedBalance(chain, address)).toBe(balances[index]);
      expect(await client.getTransactionReceipt({ hash: receipt.transactionHash })).toEqual(receipt);
      expect((await client.getTransaction({ hash: receipt.transactionHash })).from).toBe(address.toLowerCase());
      expect((await client.getBlock({ blockNumber: receipt.blockNumber })).hash).toBe(receipt.blockHash);
      const logs = await client.getLogs({ address: CANONICAL.weth, fromBlock: receipt.blockNumber });
      expect(logs.map((log) => log.transactionHash)).toContain(receipt.transactionHash);
      await wrapEther(chain, privateKey);
    }
  });

  it('starts a chain anew, and says so, when its file was torn', async () => {
    const first = await start();
    await first.stop();
    const file = readdirSync(directory).find((name) => /^devnet-[0-9a-f]{8}\.json$/.test(name))!;
    writeFileSync(path.join(directory, file), readFileSync(path.join(directory, file)).subarray(0, 50_000));
    const second = await start();
    expect(lines.join('\n')).toContain('chain 31337 starts anew');
    expect(await wrappedBalance(second.chains[0]!, second.accounts[0]!.address)).toBe(parseEther('1000'));
  });
});

describe('a chain whose process is killed', () => {
  it('starts again at its URL, continues from its saved state, and says so', async () => {
    const universe = await start();
    const [chain] = universe.chains;
    const { address, privateKey } = universe.accounts[4]!;
    const before = await wrappedBalance(chain!, address);
    const hash = await wrapEther(chain!, privateKey);
    await killOnceSaved(processOf(chain!.chainId)!, hash);

    const readReceipt = () => clientOf(chain!).getTransactionReceipt({ hash });
    while ((await readReceipt().catch(() => undefined)) === undefined) await sleep(50);
    expect(await wrappedBalance(chain!, address)).toBe(before + parseEther('7'));
    expect(lines.join('\n')).toContain('chain 31337 ended by itself and is starting again');
    await wrapEther(chain!, privateKey);
  });

  it('is given up when it ends again and again, and the universe ends', async () => {
    const universe = await start();
    let ended: string | undefined;
    while (ended === undefined) {
      const pid = processOf(31338);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      ended = await Promise.race([universe.ended, sleep(50, undefined)]);
    }
    expect(ended).toBe('devnet-l2');
  });
});

describe('no chain is left running', () => {
  it('after a stop', async () => {
    const universe = await start();
    expect(processes().length).toBeGreaterThan(0);
    await universe.stop();
    await untilNoProcess();
    expect(processes()).toEqual([]);
    expect(await universe.ended).toMatch(/^devnet/);
  });

  it('after kill -9 of the process that started them, and what they did is not lost', async () => {
    const { child, ready } = await startedProcess();
    const { address, privateKey } = ready.accounts[0]!;
    await wrapEther(ready.chains[0]!, privateKey);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await untilNoProcess();
    expect(processes()).toEqual([]);

    const again = await startedProcess();
    expect(await wrappedBalance(again.ready.chains[0]!, address)).toBe(parseEther('1007'));
    again.child.send({ stop: true });
    await once(again.child, 'exit');
  });

  it.each([
    ['the message to stop', (child: ChildProcess) => child.send({ stop: true })],
    ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
    ['the end of the parent', (child: ChildProcess) => child.disconnect()],
  ])('after %s, and the process ends with 0', async (_, end) => {
    const { child } = await startedProcess();
    const exited = once(child, 'exit');
    end(child);
    expect(await exited).toEqual([0, null]);
    await untilNoProcess();
    expect(processes()).toEqual([]);
  });

  it('after a start that fails because a port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const options = { dataDirectory: directory, log: () => undefined, ports: { 'devnet-l2': port } };
    await expect(startUniverse(options)).rejects.toThrow(`port ${String(port)} is taken`);
    await untilNoProcess();
    expect(processes()).toEqual([]);
    taken.close();
  });
});

describe('the process of the universe', () => {
  it('issues access tokens over its channel', async () => {
    const { child } = await startedProcess();
    const received = nextMessage<{ id: number; token: string }>(child);
    child.send({ id: 5, issueToken: { customerId: 'c', subject: 's', role: 'owner' } });
    const response = await received;
    expect(response.id).toBe(5);
    expect(response.token.split('.')).toHaveLength(3);
    child.send({ stop: true });
    await once(child, 'exit');
  });

  it('says why it could not start', async () => {
    writeFileSync(path.join(directory, 'chains'), 'a file where the directory should be');
    const child = forkUniverse();
    const ready = await nextMessage<Ready>(child);
    expect(ready).toEqual({ ready: false, reason: expect.stringContaining('chains') as string });
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(1);
  });
});
