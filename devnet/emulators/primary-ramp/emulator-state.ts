import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { keccak256, toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { WalletKind } from './paying-chain';
import type { PricedQuote } from './pricing';

export interface Attempt {
  readonly id: string;
  status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'EXPIRED';
  result: 'APPROVED' | 'REJECTED' | '';
  rejectionLabels: string[];
  retryable: boolean;
  readonly sandboxReject: boolean;
  readonly createdAt: string;
}

export interface Beneficiary {
  readonly id: string;
  readonly alias: string;
  readonly bankAccountNumber: string;
  readonly bankRoutingNumber: string;
}

export interface SubAccount {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  confirmed: boolean;
  usdUnlocked: boolean;
  blocked: boolean;
  /** Payouts to banks fail. */
  refused?: boolean;
  /** What the books say beside what is in the wallet: millionths by currency, as text. */
  readonly booked: Record<string, string>;
  readonly used: { in: string; out: string };
  readonly beneficiaries: Beneficiary[];
  readonly attempts: Attempt[];
}

export interface UploadedDocument {
  readonly id: string;
  readonly accountId: string;
  readonly documentType: string;
  readonly isDoubleSided: boolean;
  front: boolean;
  back: boolean;
}

export type TicketStatus =
  'UNPAID' | 'PENDING' | 'PROCESSING' | 'ON-HOLD' | 'PAID' | 'FAILED' | 'PARTIAL-FAILED' | 'CANCELED';

export interface StoredTicket {
  readonly id: string;
  readonly accountId: string;
  readonly externalId: string;
  status: TicketStatus;
  readonly quote: PricedQuote;
  readonly createdAt: string;
  updatedAt: string;
  readonly expiresAt: string;
  /** Pix in. */
  readonly brCode?: string;
  /** Bank payment in. */
  readonly bankInstructions?: object;
  /** Token out. */
  readonly receiver?: { readonly walletAddress: string; readonly walletChain: string };
  /** Fiat out. */
  readonly pixKey?: string;
  txHash?: string;
  endToEndId?: string;
}

export interface StoredState {
  readonly accounts: SubAccount[];
  readonly documents: UploadedDocument[];
  readonly tickets: StoredTicket[];
  readonly webhooks: { readonly id: string; url: string; subscriptions: string[] }[];
}

/** The state of the ramp, saved to a file after each change when there is one. */
export interface EmulatorState extends StoredState {
  save(): void;
}

export function openEmulatorState(stateFile: string | undefined): EmulatorState {
  const empty: StoredState = { accounts: [], documents: [], tickets: [], webhooks: [] };
  const isKnown = stateFile !== undefined && existsSync(stateFile);
  const state = isKnown ? (JSON.parse(readFileSync(stateFile, 'utf8')) as StoredState) : empty;
  return {
    ...state,
    save() {
      if (stateFile === undefined) return;
      writeFileSync(`${stateFile}.new`, JSON.stringify(state), { mode: 0o600 });
      renameSync(`${stateFile}.new`, stateFile);
    },
  };
}

export const newAccount = (name: string): SubAccount => ({
  id: randomUUID(),
  name,
  createdAt: new Date().toISOString(),
  confirmed: false,
  usdUnlocked: false,
  blocked: false,
  booked: {},
  used: { in: '0', out: '0' },
  beneficiaries: [],
  attempts: [],
});

/** The wallet of a person on every chain of a kind. */
export function walletOf({ id }: SubAccount, kind: WalletKind): string {
  const secret = `primary-ramp:${id}`;
  if (kind === 'EVM') return privateKeyToAddress(keccak256(toHex(secret)));
  return Keypair.fromSeed(createHash('sha256').update(secret).digest()).publicKey.toBase58();
}

export function book(account: SubAccount, currency: string, change: bigint): void {
  account.booked[currency] = (BigInt(account.booked[currency] ?? '0') + change).toString();
}
