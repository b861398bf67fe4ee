import { type Address, createPublicClient, createWalletClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Control } from '../../devnet/emulators/secondary-ramp/control';
import {
  type SecondaryRampEmulator,
  startSecondaryRampEmulator,
} from '../../devnet/emulators/secondary-ramp/start-secondary-ramp-emulator';
import type { DevnetChain } from '../../devnet/universe';
import { createHttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import type { Person } from '../../src/ramps/kyc-provider';
import { createSecondaryRamp, type SecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import type { RampAccount, RampRoute, TicketRequest } from '../../src/ramps/ramp-provider';
import type { UsdBeneficiary } from '../../src/ramps/usd-beneficiary';
import { asChain, localToken } from './local-swaps';
import { type FaultyUpstream, NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import type { ServedRamp } from './ramp-under-test';

/** The secondary ramp: its emulator, and the adapter behind a proxy that injects faults. */
export interface LocalSecondaryRamp {
  readonly emulator: SecondaryRampEmulator;
  readonly upstream: FaultyUpstream;
  readonly ramp: SecondaryRamp;
  steer(change: Partial<Control>): Promise<void>;
  /** Sends a request to a path of the emulator: a `POST` with a body, else a `GET`. */
  control(path: string, body?: unknown): Promise<unknown>;
  /** Returns the body of an authenticated `GET`. */
  request(path: string): Promise<any>;
  /** A new person at each call. */
  newPerson(): { person: Person; kycUserId: string };
  approvedAccount(person?: Person): Promise<RampAccount>;
  stop(): Promise<void>;
}

export const BENEFICIARY: UsdBeneficiary = {
  alias: 'Checking',
  accountNumber: '000123456789',
  routingNumber: '021000021',
  bankName: 'A Bank',
  name: 'ANA LIMA',
  street: ['1 Main St', 'Apt 2'],
  city: 'Miami',
  state: 'FL',
  postalCode: '33101',
  country: 'US',
  description: undefined,
  paymentMethod: 'WIRE',
};

const ANA: Person = {
  fullName: 'Ana Lima',
  birthDate: '1990-01-01',
  taxId: '12345678909',
  taxIdCountry: 'BRA',
  email: 'ana@example.com',
  phone: '+5511999998888',
  address: {
    country: 'BRA',
    state: 'SP',
    city: 'São Paulo',
    zipCode: '01310-100',
    streetAddress: 'Avenida Paulista',
    number: '1',
    complement: '',
  },
};

export interface LocalSecondaryRampOptions {
  /** Required for money movements. */
  readonly chain?: DevnetChain;
  readonly control?: Partial<Control>;
  readonly apiKey?: string;
}

export async function startLocalSecondaryRamp(options: LocalSecondaryRampOptions = {}): Promise<LocalSecondaryRamp> {
  const { chain } = options;
  const chains =
    chain === undefined ? [] : [{ network: 'polygon' as const, rpcUrl: chain.rpcUrl, tokens: chain.tokens }];
  const emulator = await startSecondaryRampEmulator({
    chains,
    control: { autoPayMs: 0, settleMs: 50, reviewMs: 100, ...options.control },
  });
  const upstream = await startFaultyUpstream(emulator.url);
  const headers = { authorization: options.apiKey ?? emulator.apiKey };
  const client = createHttpClient({ baseUrl: upstream.url, headers, timeoutMs: NO_TIMEOUT_MS });
  const networks = chain === undefined ? {} : { [chain.chainId]: 'polygon' as const };
  const ramp = createSecondaryRamp({ http: client, networks });
  const control = async (path: string, body?: unknown): Promise<unknown> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${emulator.url}${path}`, init);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  let people = 0;
  const newPerson = () => {
    people += 1;
    return { person: { ...ANA, email: `ana${String(people)}@example.com` }, kycUserId: `kyc-user-${String(people)}` };
  };
  return {
    emulator,
    upstream,
    ramp,
    control,
    newPerson,
    async steer(change) {
      await control('/_control', change);
    },
    request: async (path) =>
      (await fetch(`${emulator.url}${path}`, { headers: { authorization: emulator.apiKey } })).json(),
    async approvedAccount(person) {
      const fresh = newPerson();
      const signal = AbortSignal.timeout(10_000);
      const account = await ramp.openAccount(person ?? fresh.person, fresh, signal);
      await control(`/__control/customers/${account.accountId}`, { status: 'approved' });
      return account;
    },
    async stop() {
      upstream.close();
      await client.close();
      await emulator.stop();
    },
  };
}

export function usdcRoute(chain: DevnetChain, changes: Partial<RampRoute> = {}): RampRoute {
  const token = localToken(chain, 'USDC');
  return { direction: 'onRamp', currency: 'BRL', rail: 'PIX', token, chain: asChain(chain), ...changes };
}

const micro = (whole: bigint) => toBaseUnits(whole * 1_000_000n);
const cents = (amount: bigint) => toBaseUnits(amount);

/** Movements over every route of the ramp. The wallet pays the off-ramps. */
export function servedRamps(chain: DevnetChain, walletAddress: string): ServedRamp[] {
  const route = (changes: Partial<RampRoute> = {}) => usdcRoute(chain, changes);
  const [usd, out] = [{ currency: 'USD', rail: 'WIRE' } as const, { direction: 'offRamp' } as const];
  const pix = { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false } as const;
  const wire = { rail: 'WIRE', beneficiary: BENEFICIARY } as const;
  return [
    { route: route(), amountIn: cents(10_001n), amountOut: micro(20n), walletAddress, payout: undefined },
    { route: route(usd), amountIn: cents(5_003n), amountOut: micro(20n), walletAddress, payout: undefined },
    { route: route(out), amountIn: toBaseUnits(30_000_001n), amountOut: cents(7_007n), walletAddress, payout: pix },
    { route: route({ ...usd, ...out }), amountIn: micro(60n), amountOut: cents(2_009n), walletAddress, payout: wire },
  ];
}

/** The ramp's id of the quote of a ticket. */
export const quoteIdOf = ({ quote }: TicketRequest): string => (quote.execution as { quoteId: string }).quoteId;

export async function balanceOf(chain: DevnetChain, { token }: RampRoute, address: string): Promise<bigint> {
  const client = createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0 });
  const call = { address: token.address as Address, abi: erc20Abi, functionName: 'balanceOf' } as const;
  return client.readContract({ ...call, args: [address as Address] });
}

interface TokenSender {
  readonly chain: DevnetChain;
  readonly privateKey: `0x${string}`;
}

export async function sendUsdc({ chain, privateKey }: TokenSender, to: string, amount: bigint): Promise<void> {
  const transport = http(chain.rpcUrl);
  const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), transport });
  const call = {
    address: localToken(chain, 'USDC').address as Address,
    abi: erc20Abi,
    functionName: 'transfer',
  } as const;
  const hash = await wallet.writeContract({ ...call, args: [to as Address, amount], chain: null });
  await createPublicClient({ transport }).waitForTransactionReceipt({ hash, pollingInterval: 50 });
}

export const IMAGE = {
  bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 13, 10, 13, 10, 45, 45]),
  mimeType: 'image/jpeg',
} as const;
