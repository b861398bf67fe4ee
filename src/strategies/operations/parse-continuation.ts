import type { Address } from 'viem';
import { z } from 'zod';
import { createFieldReader, type RawFields } from '../../errors/field-reader';
import { validationError } from '../../errors/validation';
import { type OutputChoice, parseOutput } from '../../quotes/request/parse-output';
import { parseWallet } from '../../quotes/request/parse-swap-addresses';
import type { Strategy } from '../strategy';
import { assertWithoutTerms } from './order-terms';

/** A request for the deposit of tokens that have arrived from another chain. */
export interface Continuation extends OutputChoice {
  readonly actionId: string;
  readonly wallet: Address;
}

/** Parameters that the action has already. */
const KNOWN_TO_ACTION = [
  ...['amount', 'amountInShares', 'destinationAddress', 'slippage', 'webhookURL'],
  ...['fromTokenAddress', 'fromChainId', 'chainIdIn', 'toTokenAddress', 'toChainId', 'chainIdOut'],
];

/** True when the arguments name an action that is to be continued. */
export const isContinuation = (fields: RawFields): boolean => createFieldReader(fields).has('actionId');

/** @throws VALIDATION_ERROR with all problems at once; PRICE_IN_USD_NOT_SUPPORTED, EXPIRE_AT_NOT_SUPPORTED */
export function parseContinuation(strategy: Strategy, fields: RawFields): Continuation {
  const reader = createFieldReader(fields);
  const actionId = reader.parsed('actionId', (text) => z.guid().safeParse(text).data?.toLowerCase(), 'must be a UUID');
  if (!reader.has('action')) reader.addIssue('action', 'is required');
  reader.oneOf('action', ['lend']);
  if (!reader.has('wallet')) reader.addIssue('wallet', 'is required');
  const wallet = parseWallet(reader, 'wallet', strategy.chain) as Address | undefined;
  const output = parseOutput(reader, { origin: strategy.chain });
  for (const name of KNOWN_TO_ACTION)
    if (reader.has(name)) reader.addIssue(name, 'must not be given with actionId: the action has it');
  assertWithoutTerms(reader);
  if (actionId === undefined || wallet === undefined) throw validationError(reader.issues);
  return { actionId, wallet, ...output };
}
