import type { RestResponse, RunningService } from '../setup/running-service';
import type { Ask, ErrorWorld } from './error-codes-world';
import { type HandedOut, newWallet, type NewWallet } from './error-codes-wallet';

/** Brings a state about in which a request is answered with the code, and sends the request. */
export type ErrorCase = (world: ErrorWorld) => Promise<RestResponse>;

/** Well-formed, and of nothing that exists. */
export const NOBODYS_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
export const RECIPIENT = '0x00000000000000000000000000000000000A11cE';
/** An address of the local Bitcoin. */
export const BITCOIN_SENDER = 'bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x';

export type Fields = Readonly<Record<string, string>>;

export const tokenOf = ({ chains }: RunningService, slug: string, symbol: string) =>
  chains.find((chain) => chain.slug === slug)!.tokens[symbol]!;

export const quote = (ask: Ask, fields: Fields): Promise<RestResponse> =>
  ask(`/v2/swap/quote?${new URLSearchParams(fields).toString()}`);

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

/** The id of a quote that the service makes; it fails when it makes none. */
export async function quoteId(ask: Ask, fields: Fields): Promise<string> {
  return well(await quote(ask, fields)).quote.quoteId;
}

/** The body of an answer that is no failure. */
export function well({ status, body }: RestResponse): any {
  if (status !== 200) throw new Error(`a preparation was answered with ${JSON.stringify(body)}`);
  return body;
}

export const bytecode = (ask: Ask, body: Fields): Promise<RestResponse> =>
  ask('/v2/swap/bytecode', { body: { originAddress: RECIPIENT, destinationAddress: RECIPIENT, ...body } });

export const transfer = (ask: Ask, { service }: ErrorWorld, fields: Fields & { originAddress: string }) => {
  const { chainId, tokens } = service.chains.find(({ slug }) => slug === 'devnet-l2')!;
  return ask('/transfer/bytecode', {
    body: { chainId, token: tokens['USDC'], amount: '5', destinationAddress: RECIPIENT, ...fields },
  });
};

/** An action that waits for its one transaction. */
export interface PendingTransfer {
  readonly id: string;
  readonly call: HandedOut;
}

/** A transfer of USDC on `devnet-l2` that was handed out to the wallet. */
export async function newTransfer(world: ErrorWorld, { address }: NewWallet): Promise<PendingTransfer> {
  const { id, transactionData } = well(await transfer(world.healthy, world, { originAddress: address }));
  return { id, call: transactionData.at(-1) };
}

export const report = (ask: Ask, id: string, txHash: string): Promise<RestResponse> =>
  ask(`/actions/${id}/transactions`, { body: { txHash } });

/**
 * A wallet with swaps of USDC for BRLA on `devnet-l2` at a price that is over: a quote, and the calls of an action, which
 * would get less than they insist on.
 */
export async function afterThePriceMoved(world: ErrorWorld) {
  const { healthy, service } = world;
  const wallet = await newWallet(service, 'devnet-l2');
  const tokenOut = tokenOf(service, 'devnet-l2', 'BRLA');
  const swap = { ...swapOn(service, 'devnet-l2'), tokenOut, slippage: '0.0001' };
  const parties = { originAddress: wallet.address, destinationAddress: wallet.address };
  const handedOut = async (changes: Fields): Promise<any> =>
    well(await bytecode(healthy, { quoteId: await quoteId(healthy, { ...swap, ...changes }), ...parties }));
  const stale = { quoteId: await quoteId(healthy, swap), ...parties };
  const action = await handedOut({});
  await wallet.send(action.transactionData.slice(0, -1));
  await wallet.send((await handedOut({ amountIn: '10000000000', slippage: '0.5' })).transactionData);
  return { wallet, stale, action: { id: action.id as string, call: action.transactionData.at(-1) as HandedOut } };
}
