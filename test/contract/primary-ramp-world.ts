import { type Address, createPublicClient, createWalletClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import type { Control } from '../../devnet/emulators/primary-ramp/control';
import {
  type PrimaryRampEmulator,
  startPrimaryRampEmulator,
} from '../../devnet/emulators/primary-ramp/start-primary-ramp-emulator';
import type { DevnetChain } from '../../devnet/universe';
import { createHttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import type { Person } from '../../src/ramps/kyc-provider';
import { createPrimaryRamp, type PrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { primaryRampSignature } from '../../src/ramps/providers/primary/sign-request';
import type { RampAccount, RampRoute } from '../../src/ramps/ramp-provider';
import type { UsdBeneficiary } from '../../src/ramps/usd-beneficiary';
import { chainNamed, tokenNamed, type TestUniverse } from '../setup/universe-of-tests';
import { ANA } from './primary-ramp-people';
import { type FaultyUpstream, NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import type { ServedRamp } from './ramp-under-test';

/** The primary ramp on the local chains: its emulator, and the adapter. */
export interface LocalPrimaryRamp {
  readonly emulator: PrimaryRampEmulator;
  readonly upstream: FaultyUpstream;
  readonly ramp: PrimaryRamp;
  /** The account of an approved person. */
  readonly account: RampAccount;
  readonly chain: DevnetChain;
  routeOf(symbol: 'BRLA' | 'BRZ' | 'USDC', changes?: Partial<RampRoute>): RampRoute;
  steer(change: Partial<Control>): Promise<void>;
  control(path: string, body?: unknown): Promise<unknown>;
  /** All tickets at the ramp with the external id, in any state. */
  ticketsOf(externalId: string): Promise<{ id: string; status: string }[]>;
  balanceOf(route: RampRoute, address: string): Promise<bigint>;
  send(route: RampRoute, to: string, amount: bigint): Promise<void>;
  newPerson(): { person: Person; kycUserId: string };
  stop(): Promise<void>;
}

/** The account that off-ramps are paid from. */
export const PAYER_INDEX = 3;
export const BENEFICIARY: UsdBeneficiary = {
  alias: 'Checking',
  accountNumber: '000123456789',
  routingNumber: '021000021',
  bankName: 'A Bank',
  name: 'Ana Lima',
  street: ['1 Main St', 'Apt 2'],
  city: 'Miami',
  state: 'FL',
  postalCode: '33101',
  country: 'US',
  description: undefined,
  paymentMethod: 'WIRE',
};

export async function startLocalPrimaryRamp(universe: TestUniverse): Promise<LocalPrimaryRamp> {
  const chain = chainNamed(universe, 'devnet');
  const payer = universe.accounts[PAYER_INDEX]!;
  const emulator = await startPrimaryRampEmulator({
    chains: [{ chainId: chain.chainId, rpcUrl: chain.rpcUrl, tokens: chain.tokens, network: 'POLYGON' }],
    control: { autoPayMs: null, stepMs: 50, autoApproveMs: 100 },
  });
  const upstream = await startFaultyUpstream(emulator.url);
  const http = createHttpClient({
    baseUrl: upstream.url,
    sign: primaryRampSignature(emulator),
    timeoutMs: NO_TIMEOUT_MS,
  });
  const ramp = createPrimaryRamp({ http, apiUrl: emulator.url, networks: { [chain.chainId]: 'POLYGON' } });
  const control = (path: string, body?: unknown) => callControl(emulator.url, path, body);
  let people = 0;
  const newPerson = () => ({ person: ANA, kycUserId: `kyc-user-${String((people += 1))}` });
  const { kycUserId } = newPerson();
  const account = await ramp.openAccount(ANA, { kycUserId }, AbortSignal.timeout(10_000));
  await control(`accounts/${account.accountId}`, { confirmed: true, usdUnlocked: true });
  return {
    emulator,
    upstream,
    ramp,
    account,
    chain,
    newPerson,
    control,
    routeOf: (symbol, changes) => routeOf(chain, symbol, changes),
    async steer(change) {
      await control('', change);
    },
    ticketsOf: async (externalId) =>
      (await control(`tickets?externalId=${externalId}`)) as { id: string; status: string }[],
    balanceOf: (route, address) =>
      createPublicClient({ transport: transportOf(chain) }).readContract({
        address: route.token.address as Address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [address as Address],
      }),
    send: (route, to, amount) => send({ chain, payer }, route.token.address as Address, [to as Address, amount]),
    async stop() {
      upstream.close();
      await http.close();
      await emulator.stop();
    },
  };
}

const transportOf = (chain: DevnetChain) => http(chain.rpcUrl);

/** Sends a `POST` with a body, else a `GET`. */
async function callControl(url: string, path: string, body: unknown): Promise<unknown> {
  const target = `${url}/_control${path === '' ? '' : `/${path}`}`;
  const response = await fetch(target, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

interface TokenSender {
  readonly chain: DevnetChain;
  readonly payer: DevnetAccount;
}

async function send({ chain, payer }: TokenSender, token: Address, args: [Address, bigint]): Promise<void> {
  const wallet = createWalletClient({ account: privateKeyToAccount(payer.privateKey), transport: http(chain.rpcUrl) });
  const hash = await wallet.writeContract({
    address: token,
    abi: erc20Abi,
    functionName: 'transfer',
    args,
    chain: null,
  });
  await createPublicClient({ transport: http(chain.rpcUrl) }).waitForTransactionReceipt({ hash, pollingInterval: 50 });
}

function routeOf(chain: DevnetChain, symbol: string, changes: Partial<RampRoute> = {}): RampRoute {
  const token = { ...tokenNamed(chain, symbol), chainId: chain.chainId, logoURI: undefined };
  return {
    direction: 'onRamp',
    currency: 'BRL',
    rail: 'PIX',
    token,
    chain: { ...chain, explorer: undefined },
    ...changes,
  };
}

const reais = (whole: bigint) => toBaseUnits(whole * 10n ** 18n);
const micro = (whole: bigint) => toBaseUnits(whole * 1_000_000n);
const cents = (whole: bigint) => toBaseUnits(whole * 100n);

/** Movements over every route of the ramp. The wallet pays the off-ramps. */
export function servedRamps({ routeOf: route }: LocalPrimaryRamp, walletAddress: string): ServedRamp[] {
  const pix = { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false } as const;
  const wire = { rail: 'WIRE', beneficiary: BENEFICIARY } as const;
  const ach = { rail: 'ACH', beneficiary: { ...BENEFICIARY, accountNumber: '000987', paymentMethod: 'ACH' } } as const;
  const usd = { currency: 'USD', rail: 'WIRE' } as const;
  const out = { direction: 'offRamp' } as const;
  return [
    { route: route('BRLA'), amountIn: cents(100n), amountOut: reais(50n), walletAddress, payout: undefined },
    { route: route('BRZ'), amountIn: cents(100n), amountOut: reais(50n), walletAddress, payout: undefined },
    { route: route('USDC'), amountIn: cents(100n), amountOut: micro(20n), walletAddress, payout: undefined },
    { route: route('USDC', usd), amountIn: cents(50n), amountOut: micro(20n), walletAddress, payout: undefined },
    { route: route('BRLA', out), amountIn: reais(40n), amountOut: cents(30n), walletAddress, payout: pix },
    { route: route('BRZ', out), amountIn: reais(40n), amountOut: cents(30n), walletAddress, payout: pix },
    {
      route: route('USDC', out),
      amountIn: micro(30n),
      amountOut: cents(70n),
      walletAddress,
      payout: { ...pix, thirdParty: true },
    },
    {
      route: route('USDC', { ...usd, ...out }),
      amountIn: micro(60n),
      amountOut: cents(20n),
      walletAddress,
      payout: wire,
    },
    {
      route: route('USDC', { ...usd, ...out, rail: 'ACH' }),
      amountIn: micro(60n),
      amountOut: cents(20n),
      walletAddress,
      payout: ach,
    },
  ];
}
