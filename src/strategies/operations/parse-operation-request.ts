import type { Address } from 'viem';
import type { ChainTable } from '../../chains/chain-table';
import { createFieldReader, type FieldReader, type RawFields } from '../../errors/field-reader';
import { validationError } from '../../errors/validation';
import { parseOutput } from '../../quotes/request/parse-output';
import {
  assertSlippage,
  parseAmount,
  parseSlippageText,
  parseWebhookUrl,
} from '../../quotes/request/parse-quote-request';
import { parseToken, parseWallet } from '../../quotes/request/parse-swap-addresses';
import type { WebhookUrlPolicy } from '../../webhooks/webhook-url-problem';
import { directActions, isRequested, type Strategy, type StrategyAction } from '../strategy';
import type { ClaimOperation, LendOperation, OperationRequest, WithdrawOperation } from './operation-request';
import { assertWithoutTerms, givenTerms } from './order-terms';
import { assertOwnChain, FROM, parseOther, refuseOther, TO } from './parse-other-token';
import {
  type ParsedFields,
  parseDepositClaim,
  parseOwner,
  parseWithdrawAmount,
  parseWithdrawRequest,
  refuseFor,
  refuseOtherOwner,
  type SideParseDeps,
} from './parse-requested-side';

export interface OperationParseDeps {
  readonly chains: ChainTable;
  readonly webhookUrls: WebhookUrlPolicy;
}

/** The operations of the API. Every strategy has some of them. */
const ACTIONS: readonly StrategyAction[] = ['lend', 'withdraw', 'request-lend', 'request-withdraw', 'claim'];

/**
 * Validates the arguments of an operation, as far as possible without a lookup.
 *
 * @throws VALIDATION_ERROR with all problems at once; when the other fields are well-formed: PRICE_IN_USD_NOT_SUPPORTED,
 * EXPIRE_AT_NOT_SUPPORTED, INVALID_SLIPPAGE.
 */
export function parseOperationRequest(
  deps: OperationParseDeps,
  strategy: Strategy,
  fields: RawFields,
): OperationRequest {
  const reader = createFieldReader(fields);
  const action = parseAction(reader);
  refuseRequest(reader, strategy, action);
  const slippage = parseSlippageText(reader);
  const wallet = parseWalletOf(reader, strategy);
  const options = {
    slippage,
    ...parseOutput(reader, { origin: strategy.chain }),
    webhookUrl: parseWebhookUrl(reader, deps.webhookUrls),
  };
  const request = parserOf(strategy, action)(reader, { ...deps, wallet }, strategy);
  assertWithoutTerms(reader);
  assertSlippage(slippage);
  if (wallet === undefined || request === undefined) throw validationError(reader.issues);
  const { recipient = wallet, ...rest } = request;
  return { ...rest, ...options, wallet, recipient };
}

function parserOf(strategy: Strategy, action: StrategyAction | undefined) {
  if (action === 'claim') return parseClaim;
  if (action === 'withdraw') return parseWithdraw;
  if (action === 'request-withdraw') return isRequested(strategy, 'withdraw') ? parseWithdrawRequest : parseWithdraw;
  return action === 'lend' && isRequested(strategy, 'lend') ? parseDepositClaim : parseLend;
}

/** An action that the strategy does not have is an issue, unless the terms of an order are what is refused. */
function refuseRequest(reader: FieldReader, strategy: Strategy, action: StrategyAction | undefined): void {
  if (givenTerms(reader).length > 0 || action?.startsWith('request-') !== true) return;
  if (!directActions(strategy).includes(action)) reader.addIssue('action', unavailable(strategy));
}

const unavailable = (strategy: Strategy): string =>
  `must be one of the availableActions of the strategy: ${directActions(strategy).join(', ')}`;

function parseAction(reader: FieldReader): StrategyAction | undefined {
  if (!reader.has('action')) reader.addIssue('action', 'is required');
  return reader.oneOf('action', ACTIONS);
}

function parseWalletOf(reader: FieldReader, { chain }: Strategy): Address | undefined {
  if (!reader.has('wallet')) reader.addIssue('wallet', 'is required');
  return parseWallet(reader, 'wallet', chain) as Address | undefined;
}

function parseLend(
  reader: FieldReader,
  deps: SideParseDeps,
  strategy: Strategy,
): ParsedFields<LendOperation> | undefined {
  const { chains } = deps;
  const from = parseOther(reader, { chains, strategy, side: FROM });
  refuseOther(reader, { chains, strategy, side: TO }, 'is only for the action withdraw');
  if (reader.has('amountInShares')) reader.addIssue('amountInShares', 'is only for withdrawals: use amount');
  else if (!reader.has('amount')) reader.addIssue('amount', 'is required');
  const amount = parseAmount(reader, 'amount');
  const token = { address: strategy.receipt.address, requestedAddress: strategy.receipt.address };
  const recipient = parseOwner(reader, { chain: strategy.chain, token });
  const isRequest = isRequested(strategy, 'lend');
  if (isRequest) refuseOtherOwner(reader, { action: 'request-lend', recipient, wallet: deps.wallet });
  return amount === undefined ? undefined : { action: isRequest ? 'request-lend' : 'lend', amount, from, recipient };
}

function parseWithdraw(
  reader: FieldReader,
  deps: OperationParseDeps,
  strategy: Strategy,
): ParsedFields<WithdrawOperation> | undefined {
  const { chains } = deps;
  const to = parseOther(reader, { chains, strategy, side: TO });
  refuseOther(reader, { chains, strategy, side: FROM }, 'is only for the action lend');
  const amount = parseWithdrawAmount(reader);
  const { address } = strategy.underlying;
  const token = to?.token ?? { address, requestedAddress: address };
  const recipient = parseOwner(reader, { chain: to?.chain ?? strategy.chain, token });
  return amount === undefined ? undefined : { action: 'withdraw', amount, to, recipient };
}

/** A claim takes all of one reward. */
function parseClaim(
  reader: FieldReader,
  { chains, wallet }: SideParseDeps,
  strategy: Strategy,
): ParsedFields<ClaimOperation> {
  const { chain, rewardTokens, underlying } = strategy;
  if (rewardTokens === undefined) reader.addIssue('action', unavailable(strategy));
  refuseFor(reader, 'claim', ['amount', 'amountInShares', 'slippage', FROM.token]);
  for (const side of [FROM, TO]) assertOwnChain(reader, { chains, strategy, side });
  const token = reader.has('toTokenAddress') ? parseToken(reader, 'toTokenAddress', chain) : undefined;
  const reward = rewardTokens?.find(({ address }) => address === token?.address);
  if (token !== undefined && reward === undefined)
    reader.addIssue('toTokenAddress', 'must be a token in which the strategy pays rewards');
  const { address } = underlying;
  const recipient = parseOwner(reader, { chain, token: { address, requestedAddress: address } });
  refuseOtherOwner(reader, { action: 'claim', recipient, wallet });
  return { action: 'claim', reward: reward?.address as Address | undefined, recipient };
}
