import { WRAPPED_SOL } from '../../src/chains/addresses';
import { toBaseUnits } from '../../src/money/base-units';
import type { DeliveryProvider } from '../../src/venues/delivery-provider';
import type { DepositRequest, ProviderQuote, QuoteProvider, SolanaProgramCall } from '../../src/venues/quote-provider';
import { ALICE, BOB, BTC, fakeProvider, L2_USDC, offerFor, SOLANA_USDC, SOLANA_WALLET, USDC } from './swap-world';

/** Venues in memory that need more than one EVM chain. */
export const BITCOIN_WALLET = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

/** From the local chain to its neighbour. */
export const BRIDGED = {
  originChain: 'devnet',
  destinationChain: 'devnet-l2',
  tokenIn: USDC.address,
  tokenOut: L2_USDC.address,
  amountIn: '5000000',
  originAddress: ALICE,
  destinationAddress: BOB,
};
/** Within Solana. */
export const ON_SOLANA = {
  originChain: 'solana',
  destinationChain: 'solana',
  tokenIn: WRAPPED_SOL,
  tokenOut: SOLANA_USDC.address,
  amountIn: '5000000',
  originAddress: SOLANA_WALLET,
  destinationAddress: SOLANA_WALLET,
};
/** From Bitcoin to the local chain. */
export const FROM_BITCOIN = {
  originChain: 'bitcoin-local',
  destinationChain: 'devnet',
  tokenIn: BTC.address,
  tokenOut: USDC.address,
  amountIn: '5000000',
  originAddress: BITCOIN_WALLET,
  destinationAddress: BOB,
};

const deliveries: DeliveryProvider['deliveries'] = {
  follow: () => Promise.resolve({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' }),
};

/** A venue with the same offer for every pair of two chains, modified by `changes`. It builds calls. */
export const fakeBridge = (
  id: string,
  changes: Partial<DeliveryProvider> & { readonly offer?: Partial<ProviderQuote> } = {},
): DeliveryProvider => {
  const { offer, ...rest } = changes;
  return {
    ...fakeProvider(id, (request) => Promise.resolve(offerFor(request, { provider: id, ...offer }))),
    capabilities: { supports: ({ origin, destination }) => origin !== destination && origin.kind === 'evm' },
    deliveries,
    ...rest,
  };
};

/** A venue of Solana that builds one instruction. */
export const solanaVenue = (changes: Partial<SolanaProgramCall> = {}): QuoteProvider =>
  fakeProvider('jupiter', (request) => Promise.resolve(offerFor(request, { provider: 'jupiter' })), {
    capabilities: { supports: ({ origin, destination }) => origin === destination && origin.kind === 'solana' },
    build: ({ request, sender }) =>
      Promise.resolve({
        kind: 'instructions',
        chainId: request.origin.chainId,
        from: sender,
        lookupTables: {},
        instructions: [{ programId: WRAPPED_SOL, accounts: [signerAccount(sender)], data: 'AQ==' }],
        ...changes,
      } satisfies SolanaProgramCall),
  });

export const signerAccount = (pubkey: string) => ({ pubkey, isSigner: true, isWritable: true });

/** A venue for Bitcoin, which opens a new deposit at every build. */
export function depositVenue(changes: Partial<DepositRequest> = {}): DeliveryProvider {
  let opened = 0;
  return fakeBridge('vault', {
    capabilities: { supports: ({ origin }) => origin.kind === 'bitcoin' },
    build: async ({ request, quote }) => {
      opened += 1;
      const reference = `deposit-${opened}`;
      await new Promise(setImmediate);
      return {
        kind: 'deposit',
        chainId: request.origin.chainId,
        address: DEPOSIT_ADDRESSES[opened % 2]!,
        reference,
        amount: toBaseUnits(quote.maxAmountIn),
        ...changes,
      };
    },
  });
}

export const DEPOSIT_ADDRESSES = ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'] as const;
