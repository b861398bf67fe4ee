import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { cpfOf, emailOf } from '../../scripts/demo/person-evidence';
import type { RestResponse, RunningService } from '../setup/running-service';
import { type Fields, tokenOf, successBody } from './error-codes-cases';
import type { SendRequest } from './error-codes-world';
import type { FiatWorld } from './fiat-codes-world';

/** Prepares a state in which a request fails with the code, and sends this request. */
export type FiatCase = (world: FiatWorld) => Promise<RestResponse>;

/** A registered Pix key. */
export const PIX_KEY = 'joao.souza@example.com';

export const newAddress = (): string => privateKeyToAddress(generatePrivateKey());

/** Sells 100 USDC on `devnet` for reais, unless `fields` change it. */
export const offRamp = (service: RunningService, fields: Fields = {}): Fields => ({
  originChain: 'devnet',
  destinationChain: 'fiat',
  tokenIn: tokenOf(service, 'devnet', 'USDC'),
  tokenOut: 'BRL',
  ...(fields['amountOut'] === undefined ? { amountIn: '100000000' } : {}),
  ...fields,
});

/** Buys USDC on `devnet` for 100 reais, unless `fields` change it. */
export const onRamp = (service: RunningService, fields: Fields = {}): Fields => ({
  originChain: 'fiat',
  destinationChain: 'devnet',
  tokenIn: 'BRL',
  tokenOut: tokenOf(service, 'devnet', 'USDC'),
  ...(fields['amountOut'] === undefined ? { amountIn: '10000' } : {}),
  ...fields,
});

/** Executes a quote with exactly this body. */
export const execute = (send: SendRequest, body: Readonly<Record<string, unknown>>): Promise<RestResponse> =>
  send('/v2/swap/bytecode', { body });

/** A person without an account at any ramp. */
export interface NewPerson {
  readonly kycUserId: string;
  readonly cpf: string;
  readonly walletAddress: string;
}

export async function newPerson(send: SendRequest): Promise<NewPerson> {
  const [cpf, walletAddress] = [cpfOf(randomUUID()), newAddress()];
  const { kycUserId } = successBody(
    await send('/api/v1/kyc/sessions', { body: { cpf, email: emailOf(cpf), walletAddress } }),
  );
  return { kycUserId, cpf, walletAddress };
}

export const submit = (
  send: SendRequest,
  { kycUserId }: Pick<NewPerson, 'kycUserId'>,
  body: object,
): Promise<RestResponse> => send(`/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
