import {
  type Abi,
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  parseEventLogs,
  parseUnits,
} from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { ownArtifact } from '../../devnet/artifacts';
import { STRATEGY_ROUTER_ADDRESS } from '../../src/chains/strategy-router';
import { ROUTER_ABI } from '../../src/strategies/router/router-abi';
import { rpcOf } from '../contract/local-swaps';
import { chainNamed, type TestUniverse, tokenNamed } from '../setup/universe-of-tests';
import { localRow, mint, resolved, type StrategyChain, strategyChain } from './local-strategies';

export const ROUTER = STRATEGY_ROUTER_ADDRESS;
export const usdc = (amount: string): bigint => parseUnits(amount, 6);
/** Later than the clock of any test. */
export const LATER = 2n ** 40n;

export type DepositFunction = 'depositVault' | 'supplyAave' | 'supplyComet';
export type WithdrawFunction = 'redeemVault' | 'withdrawVault' | 'withdrawAave' | 'withdrawComet';

/** A market with the functions that the router has for it. */
export interface RouterMarket {
  readonly name: string;
  readonly market: Address;
  readonly asset: Address;
  readonly receipt: Address;
  readonly deposit: DepositFunction;
  readonly withdrawals: readonly WithdrawFunction[];
}

export interface RouterFee {
  readonly recipient: Address;
  readonly amount: bigint;
}

export interface CommonTerms {
  readonly market: Address;
  readonly asset: Address;
  readonly receipt: Address;
  readonly receiver: Address;
  readonly fees: readonly RouterFee[];
  readonly deadline: bigint;
}

export type DepositTerms = CommonTerms & { readonly assets: bigint; readonly minReceipt: bigint };
export type WithdrawalTerms = CommonTerms & {
  readonly amount: bigint;
  readonly maxReceipt: bigint;
  readonly minAssets: bigint;
};

export const depositData = (functionName: DepositFunction, terms: DepositTerms): Hex =>
  encodeFunctionData({ abi: ROUTER_ABI, functionName, args: [terms] });
export const withdrawalData = (functionName: WithdrawFunction, terms: WithdrawalTerms): Hex =>
  encodeFunctionData({ abi: ROUTER_ABI, functionName, args: [terms] });

const VAULT_FUNCTIONS = { deposit: 'depositVault', withdrawals: ['redeemVault', 'withdrawVault'] } as const;

/** The local chain with its honest markets of USDC and a hostile one, and accounts that have some of everything. */
export async function openRouterWorld(universe: TestUniverse) {
  const local = strategyChain(universe, chainNamed(universe, 'devnet'));
  const asset = tokenNamed(local.chain, 'USDC').address;
  const [user, victim, attacker] = [universe.accounts[3]!, universe.accounts[4]!, universe.accounts[5]!];
  const hostile = await local.deploy('HostileMarket', [asset]);
  const markets: RouterMarket[] = [];
  for (const id of ['Steady-USDC-devnet', 'ExitFee-USDC-devnet', 'Aave-USDC-devnet', 'Compound-USDC-devnet']) {
    const { strategy } = await resolved(local, localRow(universe, id));
    const { row, contracts, receipt } = strategy;
    const own = { name: id, market: contracts['pool'] ?? row.market, asset, receipt: receipt.address as Address };
    if (row.protocol === 'erc4626') markets.push({ ...own, ...VAULT_FUNCTIONS });
    else if (row.protocol === 'aave-v3') markets.push({ ...own, deposit: 'supplyAave', withdrawals: ['withdrawAave'] });
    else markets.push({ ...own, deposit: 'supplyComet', withdrawals: ['withdrawComet'] });
  }
  const bad: RouterMarket = { name: 'hostile', market: hostile, asset, receipt: hostile, ...VAULT_FUNCTIONS };
  const all = [...markets, bad];
  await mint(local, attacker, [asset, hostile, usdc('100000')]);
  for (const { address } of [user, victim]) await mint(local, attacker, [hostile, address, usdc('1000')]);
  const world = { local, asset, user, victim, attacker, markets, hostile: bad, all };
  for (const account of [user, victim]) await prepare(world, account);
  return { ...world, ...actionsOf(world) };
}

interface World {
  readonly local: StrategyChain;
  readonly asset: Address;
  /** The honest markets, and those with the hostile one. */
  readonly markets: readonly RouterMarket[];
  readonly all: readonly RouterMarket[];
}

export type RouterWorld = Awaited<ReturnType<typeof openRouterWorld>>;

/** Deposits into each market, and allowances without a limit for the router: what it must never use for another account. */
async function prepare({ local, asset, markets, all }: World, account: DevnetAccount): Promise<void> {
  await approve(local, account, { token: asset, spender: ROUTER });
  for (const { receipt } of all) await approve(local, account, { token: receipt, spender: ROUTER });
  for (const market of markets) {
    const terms = { ...termsOf(market, account.address), assets: usdc('1000'), minReceipt: 0n };
    await local.send(account.privateKey, { to: ROUTER, data: depositData(market.deposit, terms) });
  }
}

export const termsOf = ({ market, asset, receipt }: RouterMarket, receiver: Address): CommonTerms => ({
  market,
  asset,
  receipt,
  receiver,
  fees: [],
  deadline: LATER,
});

export const approve = (
  local: StrategyChain,
  account: DevnetAccount,
  {
    token,
    spender,
    amount = maxUint256,
  }: { readonly token: Address; readonly spender: Address; readonly amount?: bigint },
) =>
  local.send(account.privateKey, {
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
  });

const BEHAVIOUR_ABI: Abi = ownArtifact('HostileMarket').abi;
export const HONEST = {
  takenBps: 10_000n,
  mintedBps: 10_000n,
  burntBps: 10_000n,
  paidBps: 10_000n,
  returned: 0n,
  leaked: 0n,
  target: ROUTER,
  data: '0x' as Hex,
};

function actionsOf({ local, asset, all, hostile }: World & { readonly hostile: RouterMarket }) {
  const balanceOf = (token: Address, owner: Address) => local.balanceOf(token, owner);
  const send = (account: DevnetAccount, data: Hex) => local.send(account.privateKey, { to: ROUTER, data });
  return {
    balanceOf,
    send,
    /** Name of the error of the router, or the reason, that a call is refused with. */
    async refusal(account: DevnetAccount, data: Hex): Promise<string> {
      const call = { from: account.address, to: ROUTER, data, value: 0n };
      const [result] = await rpcOf([local.chain]).simulate(local.chain.chainId, [call]);
      if (result!.ok) return 'accepted';
      try {
        return decodeErrorResult({ abi: ROUTER_ABI, data: result!.returnData }).errorName;
      } catch {
        return result!.revertReason!;
      }
    },
    /** Balances of the router, and what it has approved: the asset, then each receipt token and market. */
    async holdings() {
      const tokens = [asset, ...all.map(({ receipt }) => receipt)];
      const balances = await Promise.all(tokens.map((token) => balanceOf(token, ROUTER)));
      const allowances = await Promise.all(
        all.map(({ market }) =>
          local.client.readContract({
            address: asset,
            abi: erc20Abi,
            functionName: 'allowance',
            args: [ROUTER, market],
          }),
        ),
      );
      return { balances, allowances };
    },
    /** Everything that an account has in the asset and in each market. */
    wealthOf: (owner: Address) =>
      Promise.all([asset, ...all.map(({ receipt }) => receipt)].map((token) => balanceOf(token, owner))),
    behave: (account: DevnetAccount, behaviour: Partial<typeof HONEST>) =>
      local.send(account.privateKey, {
        to: hostile.market,
        data: encodeFunctionData({
          abi: BEHAVIOUR_ABI,
          functionName: 'behave',
          args: [{ ...HONEST, target: '0x0000000000000000000000000000000000000000', ...behaviour }],
        }),
      }),
    reentries: () =>
      local.client.readContract({
        address: hostile.market,
        abi: BEHAVIOUR_ABI,
        functionName: 'calls',
      }) as Promise<bigint>,
    async feesPaid(hash: Hex) {
      const { logs } = await local.client.getTransactionReceipt({ hash });
      return parseEventLogs({ abi: FEE_PAID, logs }).map(({ args }) => args as { payer: Address; amount: bigint });
    },
  };
}

const FEE_PAID: Abi = ownArtifact('StrategyRouter').abi;
