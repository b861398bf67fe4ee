import { z } from 'zod';
import { isServiceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import type { OperationRequest } from './operation-request';

const COMMON = { originAddress: 'wallet', amountIn: 'amount' };
const LEND = {
  ...COMMON,
  originChain: 'fromChainId',
  tokenIn: 'fromTokenAddress',
  destinationChain: 'id',
  tokenOut: 'id',
};
/** Parameters of operations, by the parameters of swaps. The other side of a swap is the underlying asset of the strategy. */
const PARAMETERS: Readonly<Record<OperationRequest['action'], Readonly<Record<string, string>>>> = {
  lend: LEND,
  'request-lend': LEND,
  'claim-lend': COMMON,
  'request-withdraw': COMMON,
  withdraw: { ...COMMON, originChain: 'id', tokenIn: 'id', destinationChain: 'toChainId', tokenOut: 'toTokenAddress' },
  claim: COMMON,
};

const details = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

/** An error of a swap or user operation, with the parameters of operations; any other error as it is. */
export function withOperationParameters(error: unknown, action: OperationRequest['action']): unknown {
  if (!isServiceError(error) || error.code !== 'VALIDATION_ERROR') return error;
  const { data } = details.safeParse(error.details);
  if (data === undefined) return error;
  const rename = (text: string): string =>
    text.replaceAll(/\b[a-z]+[A-Z]\w*\b/g, (name) => PARAMETERS[action][name] ?? name);
  return validationError(data.errors.map(({ path, message }) => ({ path: rename(path), message: rename(message) })));
}
