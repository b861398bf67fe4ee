import {
  type Address,
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseAbi,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { initCode, ownArtifact } from '../../devnet/artifacts';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { DevnetChain } from '../../devnet/universe';
import type { BlockHead } from '../../src/rpc/block-reads/block-head';
import { readAtBlock, readLatest } from '../../src/rpc/block-reads/read-at-one-block';
import type { BlockReads } from '../../src/rpc/block-reads/read-outcome';
import type { ContractRead } from '../../src/rpc/contract-read';
import { isRequested, type Strategy } from '../../src/strategies/strategy';
import type { StrategyRow } from '../../src/strategies/strategy-row';
import { PROTOCOL_READERS, PROTOCOLS } from '../../src/strategies/protocols/protocols';
import type {
  StrategyHolding,
  MarketState,
  Preview,
  Protocol,
  ProtocolCall,
  ProtocolRead,
  Resolution,
  WithdrawAmount,
} from '../../src/strategies/protocols/protocol';
import type { Token } from '../../src/tokens/token';
import { asChain, rpcOf } from '../contract/local-swaps';
import { minedReceipt } from '../setup/mined-receipt';
import { type TestUniverse, tokenNamed } from '../setup/universe-of-tests';

/** A chain that tests read and send to. */
export interface StrategyChain {
  readonly chain: DevnetChain;
  readonly client: PublicClient;
  /** Result of a read, and the block that it belongs to. */
  read<Result>(read: ProtocolRead<Result>): Promise<{ readonly value: Result | undefined; readonly block: BlockHead }>;
  /** Results of several reads, from one eth_call where possible. */
  readEach<Result>(reads: readonly ProtocolRead<Result>[]): Promise<readonly (Result | undefined)[]>;
  /** Sends a call and waits for its receipt. @throws Error with the reason of a revert */
  send(key: Hex, call: { readonly to: Address; readonly data: Hex; readonly value?: bigint }): Promise<Hex>;
  /** Lets time pass, and mines a block. */
  wait(seconds: number): Promise<void>;
  balanceOf(token: string, owner: Address): Promise<bigint>;
  /** Deploys a contract of `devnet/contracts`. */
  deploy(artifact: string, args: readonly unknown[]): Promise<Address>;
}

const signal = () => AbortSignal.timeout(10_000);
const MAX_TRIES = 20;

export function strategyChain(universe: TestUniverse, chain: DevnetChain): StrategyChain {
  const client = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 10 });
  const json = createJsonRpc(chain.rpcUrl);
  /** Outcomes of one block. A chain that mines meanwhile may leave some unread: then all are read again. */
  const outcomesOf = async (reads: readonly ContractRead<unknown>[]): Promise<BlockReads<unknown>> => {
    for (let tries = 0; ; tries += 1) {
      const request = { chain: asChain(chain), reads, signal: signal() };
      const latest = await readLatest(client, request, 0);
      const { block } = latest;
      if (!latest.outcomes.includes(undefined)) return latest;
      const outcomes = await readAtBlock(client, { ...request, block });
      if (!outcomes.includes(undefined)) return { block, outcomes };
      if (tries === MAX_TRIES) throw new Error('the reads are not of one block');
    }
  };
  const readEach = async <Result>(reads: readonly ProtocolRead<Result>[]) => {
    const { block, outcomes } = await outcomesOf(reads.flatMap((each) => each.reads));
    const values = outcomes.map((outcome) => (outcome?.status === 'read' ? outcome.value : undefined));
    let from = 0;
    return reads.map((each) => {
      const own = values.slice(from, from + each.reads.length);
      from += each.reads.length;
      return { value: each.decode(own, block), block };
    });
  };
  const send: StrategyChain['send'] = async (key, { to, data, value = 0n }) => {
    const account = privateKeyToAccount(key);
    await client.call({ account, to, data, value });
    const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) });
    const hash = await wallet.sendTransaction({ to, data, value, gas: 3_000_000n, chain: null });
    const { status } = await minedReceipt(client, hash);
    if (status !== 'success') throw new Error('the transaction reverted');
    return hash;
  };
  return {
    chain,
    client,
    send,
    readEach: async (reads) => (await readEach(reads)).map(({ value }) => value),
    read: async (read) => (await readEach([read]))[0]!,
    async wait(seconds) {
      await json.batch([{ method: 'evm_increaseTime', params: [seconds] }, { method: 'evm_mine' }]);
    },
    balanceOf: (token, owner) =>
      client.readContract({
        address: addressOf(chain, token),
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      }),
    async deploy(artifact, args) {
      const account = privateKeyToAccount(universe.accounts[9]!.privateKey);
      const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) });
      const data = initCode(ownArtifact(artifact), args);
      const hash = await wallet.sendTransaction({ data, gas: 8_000_000n, chain: null });
      const { contractAddress } = await minedReceipt(client, hash);
      return contractAddress!;
    },
  };
}

/** A token by its symbol, or an address as it is. */
const addressOf = (chain: DevnetChain, token: string): Address =>
  token.startsWith('0x') ? (token as Address) : tokenNamed(chain, token).address;

/** A row of the local chain. */
export const localRow = (universe: TestUniverse, id: string): StrategyRow =>
  universe.strategies.find((row) => row.id === id)!;

/** The contracts of a row, after all rounds of reads. */
export async function resolutionOf(local: StrategyChain, row: StrategyRow): Promise<Resolution | undefined> {
  let resolution: Resolution | undefined = PROTOCOL_READERS[row.protocol].resolution(row);
  for (let round = 0; resolution?.kind === 'next'; round += 1) {
    if (round === 4) throw new Error('the port allows four rounds');
    resolution = (await local.read(resolution.read)).value;
  }
  return resolution;
}

export interface LocalStrategy {
  readonly strategy: Strategy;
  readonly protocol: Protocol;
}

/** @throws Error when the chain refuses the row */
export async function resolved(local: StrategyChain, row: StrategyRow): Promise<LocalStrategy> {
  const resolution = await resolutionOf(local, row);
  if (resolution?.kind !== 'resolved') throw new Error(`not resolved: ${JSON.stringify(resolution)}`);
  const { contracts, receipt, rewardTokens: rewards = [] } = resolution;
  const [underlying, receiptToken, ...rewardTokens] = await Promise.all([
    tokenAt(local, row.underlying),
    tokenAt(local, receipt),
    ...rewards.map((reward) => tokenAt(local, reward)),
  ]);
  const strategy = {
    row,
    chain: asChain(local.chain),
    underlying,
    receipt: receiptToken,
    contracts,
    ...(rewardTokens.length === 0 ? {} : { rewardTokens }),
  };
  if (row.protocol === 'tokenized-stock') throw new Error('orders have no calls');
  return { strategy, protocol: PROTOCOLS[row.protocol] };
}

async function tokenAt({ client, chain }: StrategyChain, address: Address): Promise<Token> {
  const read = { address, abi: erc20Abi } as const;
  const [symbol, name, decimals] = await Promise.all([
    client.readContract({ ...read, functionName: 'symbol' }),
    client.readContract({ ...read, functionName: 'name' }),
    client.readContract({ ...read, functionName: 'decimals' }),
  ]);
  return { chainId: chain.chainId, address, symbol, name, decimals, logoURI: undefined };
}

interface Account {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** A wallet and a strategy: what a user does. Where requests wait, each is fulfilled and claimed at once. */
export interface User {
  readonly address: Address;
  lendPreview(assets: bigint): Promise<Preview>;
  lend(assets: bigint): Promise<Hex>;
  withdrawPreview(amount: WithdrawAmount): Promise<Preview>;
  /** Withdraws the amount of the preview of the same moment. */
  withdraw(amount: WithdrawAmount): Promise<{ readonly preview: Preview; readonly received: bigint }>;
  holding(): Promise<StrategyHolding>;
  market(): Promise<MarketState>;
  tokens(): Promise<bigint>;
}

export function userOf(local: StrategyChain, market: LocalStrategy, account: Account): User {
  const { strategy, protocol } = market;
  const lend = isRequested(strategy, 'lend') ? protocol.requests! : protocol;
  const withdraw = isRequested(strategy, 'withdraw') ? protocol.requests! : protocol;
  const wallet = account.address;
  const underlying = strategy.row.underlying;
  const known = async <Result>(read: ProtocolRead<Result>): Promise<Result> => (await local.read(read)).value!;
  const tokens = () => local.balanceOf(underlying, wallet);
  const lendRequest = (assets: bigint) => ({ wallet, receiver: wallet, assets });
  const withdrawRequest = (amount: WithdrawAmount) => ({ wallet, receiver: wallet, amount });
  const withdrawPreview = (amount: WithdrawAmount) =>
    known(withdraw.withdrawPreview(strategy, withdrawRequest(amount)));
  return {
    address: wallet,
    tokens,
    lendPreview: (assets) => known(lend.lendPreview(strategy, lendRequest(assets))),
    async lend(assets) {
      if (isRequested(strategy, 'lend')) await requestLend(local, market, { account, assets });
      return execute(local, account, protocol.lend(strategy, lendRequest(assets)));
    },
    withdrawPreview,
    async withdraw(amount) {
      const [preview, before] = await Promise.all([withdrawPreview(amount), tokens()]);
      await execute(local, account, withdraw.withdraw(strategy, withdrawRequest(amount), preview));
      if (isRequested(strategy, 'withdraw')) {
        await fulfil(local, market, account);
        const all = withdrawRequest({ kind: 'all' });
        const claim = await known(protocol.withdrawPreview(strategy, all));
        await execute(local, account, protocol.withdraw(strategy, all, claim));
      }
      return { preview, received: (await tokens()) - before };
    },
    holding: () => known(protocol.holding(strategy, wallet)),
    market: () => known(protocol.market(strategy)),
  };
}

/** Requests a deposit, which the vault fulfils at once. */
export async function requestLend(
  local: StrategyChain,
  market: LocalStrategy,
  { account, assets }: { readonly account: Account; readonly assets: bigint },
): Promise<void> {
  const { strategy, protocol } = market;
  await execute(local, account, protocol.requests!.lend(strategy, { wallet: account.address, assets }));
  await fulfil(local, market, account);
}

const REQUEST_VAULT = parseAbi(['function fulfil(address controller)']);

/** Fulfils all that a wallet has requested. */
export const fulfil = (
  local: StrategyChain,
  { strategy }: Pick<LocalStrategy, 'strategy'>,
  { address, privateKey }: Account,
): Promise<Hex> =>
  callContract(local, privateKey, {
    address: strategy.row.market,
    abi: REQUEST_VAULT,
    functionName: 'fulfil',
    args: [address],
  });

/** Gives the allowance of a call and sends it. */
export async function execute(local: StrategyChain, { privateKey }: Account, call: ProtocolCall): Promise<Hex> {
  const { allowance } = call;
  if (allowance !== undefined) {
    const args = [allowance.spender, allowance.amount] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
    await local.send(privateKey, { to: allowance.token, data });
  }
  return local.send(privateKey, call);
}

/** Reason why the chain would revert a call, explained by the adapter. */
export async function refusalBy(
  { chain }: StrategyChain,
  { explainRevert }: Pick<Protocol, 'explainRevert'>,
  call: ProtocolCall & { readonly from: Address },
): Promise<string | undefined> {
  const [result] = await rpcOf([chain]).simulate(chain.chainId, [call]);
  expect(result!.ok).toBe(false);
  return explainRevert(result!.revertReason!);
}

const FAUCET = parseAbi(['function mint(address to, uint256 value)']);

/** Tokens for a wallet; any account may mint them. */
export const mint = (local: StrategyChain, { privateKey }: Account, [token, to, value]: [Address, Address, bigint]) =>
  local.send(privateKey, { to: token, data: encodeFunctionData({ abi: FAUCET, args: [to, value] }) });

/** Calls a function of a contract. */
export const callContract = (
  local: StrategyChain,
  key: Hex,
  call: {
    readonly address: Address;
    readonly abi: Abi;
    readonly functionName: string;
    readonly args: readonly unknown[];
  },
): Promise<Hex> => local.send(key, { to: call.address, data: encodeFunctionData(call) });

/** The row with other values. */
export const changedRow = (row: StrategyRow, changes: Partial<StrategyRow>): StrategyRow => ({ ...row, ...changes });
