import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { cpfOf, emailOf } from '../../scripts/demo/person-evidence';
import type { RestResponse, RunningService } from '../setup/running-service';
import { type Fields, tokenOf, well } from './error-codes-cases';
import type { Ask } from './error-codes-world';
import type { FiatWorld } from './fiat-codes-world';

/** Brings a state about in which a request is answered with the code, and sends the request. */
export type FiatCase = (world: FiatWorld) => Promise<RestResponse>;

/** A key that everybody's ramp finds. */
export const PIX_KEY = 'joao.souza@example.com';

export const newAddress = (): string => privateKeyToAddress(generatePrivateKey());

/** A hundred USDC of `devnet` for reais, unless told otherwise. */
export const offRamp = (service: RunningService, fields: Fields = {}): Fields => ({
  originChain: 'devnet',
  destinationChain: 'fiat',
  tokenIn: tokenOf(service, 'devnet', 'USDC'),
  tokenOut: 'BRL',
  ...(fields['amountOut'] === undefined ? { amountIn: '100000000' } : {}),
  ...fields,
});

/** A hundred reais for USDC of `devnet`, unless told otherwise. */
export const onRamp = (service: RunningService, fields: Fields = {}): Fields => ({
  originChain: 'fiat',
  destinationChain: 'devnet',
  tokenIn: 'BRL',
  tokenOut: tokenOf(service, 'devnet', 'USDC'),
  ...(fields['amountOut'] === undefined ? { amountIn: '10000' } : {}),
  ...fields,
});

/** Executes a quote, with what the caller tells and no more. */
export const execute = (ask: Ask, body: Readonly<Record<string, unknown>>): Promise<RestResponse> =>
  ask('/v2/swap/bytecode', { body });

/** Somebody of whom no ramp has heard. */
export interface Stranger {
  readonly kycUserId: string;
  readonly cpf: string;
  readonly walletAddress: string;
}

export async function newStranger(ask: Ask): Promise<Stranger> {
  const [cpf, walletAddress] = [cpfOf(randomUUID()), newAddress()];
  const { kycUserId } = well(await ask('/api/v1/kyc/sessions', { body: { cpf, email: emailOf(cpf), walletAddress } }));
  return { kycUserId, cpf, walletAddress };
}

export const submit = (ask: Ask, { kycUserId }: Pick<Stranger, 'kycUserId'>, body: object): Promise<RestResponse> =>
  ask(`/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
