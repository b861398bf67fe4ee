import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';
import { callsSchema } from './wallet';

const quoteSchema = z.object({
  quote: z.object({ quoteId: z.string(), originChain: z.string(), destinationChain: z.string() }),
});
const createdSchema = z.object({ id: z.string(), chainId: z.number(), transactionData: callsSchema });

/**
 * Executes a quote that was requested by hand: creates its transactions, signs and sends them, follows the action to its end
 * and prints it. The argument is a file with the response to the request for the quote, or the id of the quote. The chains of
 * a file are checked before the action is created.
 */
export async function demonstrateSend(demo: Demo, [quote]: readonly string[]): Promise<void> {
  if (quote === undefined) {
    throw new InvariantError('the quote is missing: npm run demo -- send <file or quoteId>');
  }
  const isId = z.guid().safeParse(quote).success;
  if (!isId && !existsSync(quote)) throw new InvariantError(`the file ${quote} does not exist, and it is no quoteId`);
  const quoteId = isId ? quote : readQuoteId(demo, quote);
  const { api, service } = demo;
  const { address } = demo.wallet('devnet');
  const body = { quoteId, originAddress: address, destinationAddress: address };
  const created = createdSchema.safeParse(await api.post('/v2/swap/bytecode', body));
  const chain = service.chains.find(({ chainId }) => chainId === created.data?.chainId);
  if (!created.success || chain === undefined) throw new InvariantError(NO_EVM_SWAP);
  const { id, transactionData } = created.data;
  const isSent = transactionData.length === 0;
  const toDo = isSent ? 'was sent already' : `${transactionData.length} transaction(s) to sign as ${address}`;
  console.log(`action ${id}: ${toDo}`);
  await sendAndFollow({ api, id }, async () => {
    if (!isSent) console.log(`sent ${(await demo.wallet(chain.slug).send(transactionData)).join(', ')}`);
  });
  console.log(JSON.stringify(await api.get(`/actions/${id}`, {}), undefined, 2));
}

const NO_EVM_SWAP = 'the quote is not for a swap between EVM chains';

/** @throws InvariantError when the file has no quote, or one for another kind of chain or for fiat */
function readQuoteId({ service }: Demo, file: string): string {
  const parsed = quoteSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new InvariantError(`${file} has no quote: it must hold the response of /v2/swap/quote`);
  const { quoteId, originChain, destinationChain } = parsed.data.quote;
  const isEvmToken = (address: string): boolean => address.startsWith('0x');
  const evmChains = service.chains.filter(({ tokens }) => Object.values(tokens).every(isEvmToken));
  const isEvm = (name: string): boolean => evmChains.some(({ slug }) => slug === name);
  if (!isEvm(originChain) || !isEvm(destinationChain)) throw new InvariantError(NO_EVM_SWAP);
  return quoteId;
}
