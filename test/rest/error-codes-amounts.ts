import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import { approvedPerson } from '../kyc/kyc-people';
import type { RunningService } from '../setup/running-service';
import {
  bitcoinSwap,
  type ErrorCase,
  type Fields,
  newTransfer,
  quote,
  report,
  swapOn,
  tokenOf,
} from './error-codes-cases';
import { newWallet } from './error-codes-wallet';
import type { ErrorWorld } from './error-codes-world';

type Code = keyof (typeof CATALOG_TABLES)['amounts'];

/** Cases for the table "validation and amounts". */
export const AMOUNT_CASES: Readonly<Record<Code, ErrorCase>> = {
  INVALID_AMOUNT_PARAMS: ({ healthy, service }) => quote(healthy, { ...swapOn(service), amountOut: '1' }),
  MISSING_AMOUNT_PARAMS: ({ healthy, service }) => quote(healthy, { ...swapOn(service), amountIn: '' }),
  INVALID_SLIPPAGE: ({ healthy, service }) => quote(healthy, { ...swapOn(service), slippage: '0.51' }),
  AMOUNT_IN_TOO_LOW: ({ healthy, service }) => quote(healthy, { ...bitcoinSwap(service), amountIn: '9999' }),
  AMOUNT_IN_TOO_HIGH: ({ healthy, service }) => quote(healthy, { ...bitcoinSwap(service), amountIn: '2000000001' }),

  AMOUNT_IN_TOO_LOW_OFFRAMP: offRamp({ amountIn: '1000000' }),
  AMOUNT_IN_TOO_HIGH_OFFRAMP: offRamp({ amountIn: '20000000000' }),
  AMOUNT_OUT_TOO_LOW_OFFRAMP: offRamp({ amountOut: '499' }),
  AMOUNT_OUT_TOO_HIGH_OFFRAMP: offRamp({ amountOut: '11000000' }),
  AMOUNT_IN_TOO_LOW_ONRAMP: onRamp({ amountIn: '99' }),
  AMOUNT_IN_TOO_HIGH_ONRAMP: onRamp({ amountIn: '10000001' }),
  AMOUNT_OUT_TOO_LOW_ONRAMP: onRamp({ amountOut: '1000000' }),
  AMOUNT_OUT_TOO_HIGH_ONRAMP: onRamp({ amountOut: '20000000001' }),
  // Below the wire fee of the bank.
  RAMP_AMOUNT_OUT_OF_RANGE: offRamp({ amountIn: '2000000', tokenOut: 'USD', rampProvider: 'secondary' }),

  // A ramp allows no amount for a blocked person.
  async AMOUNT_EXCEEDS_PROVIDER_LIMIT(world) {
    const originAddress = privateKeyToAddress(generatePrivateKey());
    const kycUserId = await approvedPerson({ walletAddress: originAddress });
    await blockAtPrimaryRamp(world.service, kycUserId);
    return offRamp({ amountIn: '2000000', originAddress })(world);
  },

  async INVALID_TX_HASH(world) {
    const { id } = await newTransfer(world, await newWallet(world.service, 'devnet-l2'));
    return report(world.healthy, id, '0x1234');
  },
};

function offRamp({ tokenIn = 'USDC', ...fields }: Fields): ErrorCase {
  return ({ healthy, service }: ErrorWorld) =>
    quote(healthy, {
      originChain: 'devnet',
      destinationChain: 'fiat',
      tokenOut: 'BRL',
      ...fields,
      tokenIn: tokenOf(service, 'devnet', tokenIn),
    });
}

function onRamp(fields: Fields): ErrorCase {
  return ({ healthy, service }: ErrorWorld) =>
    quote(healthy, {
      originChain: 'fiat',
      destinationChain: 'devnet',
      tokenIn: 'BRL',
      ...fields,
      tokenOut: tokenOf(service, 'devnet', 'USDC'),
    });
}

async function blockAtPrimaryRamp({ emulators }: RunningService, kycUserId: string): Promise<void> {
  const control = `${emulators['primaryRamp']!}/_control/accounts`;
  const [{ id }] = (await (await fetch(`${control}?name=${kycUserId}`)).json()) as [{ readonly id: string }];
  await fetch(`${control}/${id}`, { method: 'POST', body: '{"blocked":true}' });
}
