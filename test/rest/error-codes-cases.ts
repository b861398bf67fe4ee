import type { RestResponse, RunningService } from '../setup/running-service';
import type { SendRequest, ErrorWorld } from './error-codes-world';
import { type ReturnedCall, newWallet, type NewWallet } from './error-codes-wallet';

/** Prepares a state in which a request fails with the code, and sends this request. */
export type ErrorCase = (world: ErrorWorld) => Promise<RestResponse>;

/** A well-formed id that no resource has. */
export const ABSENT_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
export const RECIPIENT = '0x00000000000000000000000000000000000A11cE';
/** An address on the local Bitcoin network. */
export const BITCOIN_SENDER = 'bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x';

export type Fields = Readonly<Record<string, string>>;

export const tokenOf = ({ chains }: RunningService, slug: string, symbol: string) =>
  chains.find((chain) => chain.slug === slug)!.tokens[symbol]!;

export const quote = (send: SendRequest, fields: Fields): Promise<RestResponse> =>
  send(`/v2/swap/quote?${new URLSearchParams(fields).toString()}`);

/** USDC for WETH on one chain. */
export const swapOn = (service: RunningService, slug = 'devnet'): Fields => ({
  originChain: slug,
  destinationChain: slug,
  amountIn: '1000000',
  tokenIn: tokenOf(service, slug, 'USDC'),
  tokenOut: tokenOf(service, slug, 'WETH'),
});

/** USDC from one chain to the other. */
export const transferBetween = (service: RunningService): Fields => ({
  originChain: 'devnet',
  destinationChain: 'devnet-l2',
  amountIn: '50000000',
  tokenIn: tokenOf(service, 'devnet', 'USDC'),
  tokenOut: tokenOf(service, 'devnet-l2', 'USDC'),
});

/** Bitcoin for USDC on `devnet`. */
export const bitcoinSwap = (service: RunningService): Fields => ({
  originChain: 'bitcoin-local',
  destinationChain: 'devnet',
  tokenIn: 'BTC',
  amountIn: '100000',
  tokenOut: tokenOf(service, 'devnet', 'USDC'),
});

/** Requests a quote and returns its id. Throws when there is none. */
export async function quoteId(send: SendRequest, fields: Fields): Promise<string> {
  return successBody(await quote(send, fields)).quote.quoteId;
}

/** The body of a response with status 200. Throws for any other. */
export function successBody({ status, body }: RestResponse): any {
  if (status !== 200) throw new Error(`the preparation failed: ${JSON.stringify(body)}`);
  return body;
}

export const bytecode = (send: SendRequest, body: Fields): Promise<RestResponse> =>
  send('/v2/swap/bytecode', { body: { originAddress: RECIPIENT, destinationAddress: RECIPIENT, ...body } });

export const transfer = (send: SendRequest, { service }: ErrorWorld, fields: Fields & { originAddress: string }) => {
  const { chainId, tokens } = service.chains.find(({ slug }) => slug === 'devnet-l2')!;
  return send('/transfer/bytecode', {
    body: { chainId, token: tokens['USDC'], amount: '5', destinationAddress: RECIPIENT, ...fields },
  });
};

/** An action that waits for its only transaction. */
export interface PendingTransfer {
  readonly id: string;
  readonly call: ReturnedCall;
}

/** Creates a transfer of USDC on `devnet-l2` from the wallet, and does not send it. */
export async function newTransfer(world: ErrorWorld, { address }: NewWallet): Promise<PendingTransfer> {
  const { id, transactionData } = successBody(await transfer(world.healthy, world, { originAddress: address }));
  return { id, call: transactionData.at(-1) };
}

export const report = (send: SendRequest, id: string, txHash: string): Promise<RestResponse> =>
  send(`/actions/${id}/transactions`, { body: { txHash } });

/**
 * A wallet with a quote and an action that swap USDC for BRLA on `devnet-l2`. The price has moved since, so that both
 * would return less than their minimum output.
 */
export async function prepareStaleSwaps(world: ErrorWorld) {
  const { healthy, service } = world;
  const wallet = await newWallet(service, 'devnet-l2');
  const tokenOut = tokenOf(service, 'devnet-l2', 'BRLA');
  const swap = { ...swapOn(service, 'devnet-l2'), tokenOut, slippage: '0.0001' };
  const parties = { originAddress: wallet.address, destinationAddress: wallet.address };
  const createAction = async (changes: Fields): Promise<any> =>
    successBody(await bytecode(healthy, { quoteId: await quoteId(healthy, { ...swap, ...changes }), ...parties }));
  const stale = { quoteId: await quoteId(healthy, swap), ...parties };
  const action = await createAction({});
  await wallet.send(action.transactionData.slice(0, -1));
  await wallet.send((await createAction({ amountIn: '10000000000', slippage: '0.5' })).transactionData);
  return { wallet, stale, action: { id: action.id as string, call: action.transactionData.at(-1) as ReturnedCall } };
}
