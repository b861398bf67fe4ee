import { createHash, randomBytes } from 'node:crypto';
import { p2wpkh } from '@scure/btc-signer';
import { pubECDSA } from '@scure/btc-signer/utils';
import type { EmulatorRoutes } from '../http-emulator';

/** A payment on the local Bitcoin. */
export interface LocalPayment {
  readonly txid: string;
  readonly address: string;
  /** In satoshi. */
  readonly amount: bigint;
  /** Block that holds it; `undefined` while it waits for one. */
  readonly height: number | undefined;
}

/** A Bitcoin in memory: payments without inputs, and a block every so often. It forgets everything when it ends. */
export interface LocalBitcoin {
  newAddress(): string;
  pay(address: string, amount: bigint): LocalPayment;
  paymentsTo(address: string): readonly LocalPayment[];
  confirmations(payment: LocalPayment): number;
  /** Esplora's paths. */
  readonly routes: EmulatorRoutes;
}

const REGTEST = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };
const FIRST_HEIGHT = 100;
const FEE_RATES = { '1': 6.2, '3': 5.1, '6': 4, '144': 1.5, '1008': 1 };
const text = (status: number, body: string) => ({
  status,
  body: Buffer.from(body),
  headers: { 'content-type': 'text/plain' },
});

export function openLocalBitcoin(blockTimeMs: number): LocalBitcoin {
  const startedAt = Date.now();
  const payments = new Map<string, Omit<LocalPayment, 'height'> & { readonly at: number }>();
  const heightAt = (moment: number): number => FIRST_HEIGHT + Math.floor((moment - startedAt) / blockTimeMs);
  const seen = ({ at, ...payment }: Omit<LocalPayment, 'height'> & { readonly at: number }): LocalPayment => {
    // A payment is in the block after the moment in which it was made.
    const height = heightAt(at) + 1;
    return { ...payment, height: height <= heightAt(Date.now()) ? height : undefined };
  };
  const latestBlock = () => {
    const height = heightAt(Date.now());
    const timestamp = Math.floor((startedAt + (height - FIRST_HEIGHT) * blockTimeMs) / 1000);
    return { height, timestamp };
  };
  const confirmations = ({ height }: LocalPayment): number =>
    height === undefined ? 0 : heightAt(Date.now()) - height + 1;
  const paymentsTo = (address: string): readonly LocalPayment[] =>
    [...payments.values()].filter((payment) => payment.address === address).map(seen);
  return {
    confirmations,
    paymentsTo,
    newAddress: () => p2wpkh(pubECDSA(randomBytes(32)), REGTEST).address,
    pay(address, amount) {
      const txid = createHash('sha256').update(randomBytes(32)).digest('hex');
      const payment = { txid, address, amount, at: Date.now() };
      payments.set(txid, payment);
      return seen(payment);
    },
    routes: {
      'GET /blocks/tip/height': () => ({ body: heightAt(Date.now()) }),
      'GET /blocks': () => ({ body: [latestBlock()] }),
      'GET /fee-estimates': () => ({ body: FEE_RATES }),
      'GET /address/:address/txs': ({ parameters }) => ({
        body: paymentsTo(parameters['address'] ?? '')
          .toReversed()
          .map(transactionOf),
      }),
      'GET /tx/:txid': ({ parameters }) => {
        const { txid = '' } = parameters;
        if (!/^[0-9a-f]{64}$/.test(txid)) return text(400, 'Invalid hex string');
        const payment = payments.get(txid);
        return payment === undefined ? text(404, 'Transaction not found') : { body: transactionOf(seen(payment)) };
      },
    },
  };
}

const transactionOf = ({ txid, address, amount, height }: LocalPayment) => ({
  txid,
  version: 2,
  locktime: 0,
  size: 222,
  weight: 561,
  fee: 141,
  vin: [],
  vout: [
    { scriptpubkey_type: 'v0_p2wpkh', scriptpubkey_address: address, value: Number.parseInt(amount.toString(), 10) },
  ],
  status: height === undefined ? { confirmed: false } : { confirmed: true, block_height: height },
});
