import type { Address } from 'viem';
import type { Chain } from '../../chains/chain';
import { type ChainTable, unknownChainProblem } from '../../chains/chain-table';
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
import type {
  ClaimOperation,
  LendOperation,
  OperationRequest,
  TokenOnChain,
  WithdrawOperation,
} from './operation-request';
import { assertWithoutTerms, givenTerms } from './order-terms';
import {
  type ParsedFields,
  parseDepositClaim,
  parseOwner,
  parseWithdrawAmount,
  parseWithdrawRequest,
  refuseFor,
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
  const request = parserOf(strategy, action)(reader, deps, strategy);
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
  deps: OperationParseDeps,
  strategy: Strategy,
): ParsedFields<LendOperation> | undefined {
  const from = parseOther(reader, deps, { strategy, side: FROM });
  refuseSide(reader, TO, { strategy, chains: deps.chains });
  if (reader.has('amountInShares')) reader.addIssue('amountInShares', 'is only for withdrawals: use amount');
  else if (!reader.has('amount')) reader.addIssue('amount', 'is required');
  const amount = parseAmount(reader, 'amount');
  const token = { address: strategy.receipt.address, requestedAddress: strategy.receipt.address };
  const recipient = parseOwner(reader, { chain: strategy.chain, token });
  const isRequest = isRequested(strategy, 'lend');
  if (isRequest) refuseFor(reader, 'request-lend', ['destinationAddress']);
  return amount === undefined ? undefined : { action: isRequest ? 'request-lend' : 'lend', amount, from, recipient };
}

function parseWithdraw(
  reader: FieldReader,
  deps: OperationParseDeps,
  strategy: Strategy,
): ParsedFields<WithdrawOperation> | undefined {
  const to = parseOther(reader, deps, { strategy, side: TO });
  refuseSide(reader, FROM, { strategy, chains: deps.chains });
  const amount = parseWithdrawAmount(reader);
  const { address } = strategy.underlying;
  const token = to?.token ?? { address, requestedAddress: address };
  const recipient = parseOwner(reader, { chain: to?.chain ?? strategy.chain, token });
  return amount === undefined ? undefined : { action: 'withdraw', amount, to, recipient };
}

/** A claim takes all of one reward, for the wallet itself. */
const NOT_FOR_CLAIMS = [
  ...['amount', 'amountInShares', 'destinationAddress', 'slippage'],
  ...['fromTokenAddress', 'fromChainId', 'chainIdIn', 'toChainId', 'chainIdOut'],
];

function parseClaim(reader: FieldReader, _deps: OperationParseDeps, strategy: Strategy): ParsedFields<ClaimOperation> {
  const { chain, rewardTokens } = strategy;
  if (rewardTokens === undefined) reader.addIssue('action', unavailable(strategy));
  refuseFor(reader, 'claim', NOT_FOR_CLAIMS);
  const token = reader.has('toTokenAddress') ? parseToken(reader, 'toTokenAddress', chain) : undefined;
  const reward = rewardTokens?.find(({ address }) => address === token?.address);
  if (token !== undefined && reward === undefined)
    reader.addIssue('toTokenAddress', 'must be a token in which the strategy pays rewards');
  return { action: 'claim', reward: reward?.address as Address | undefined, recipient: undefined };
}

/** Names of the parameters for the token on the other side of a swap, and for its chain. */
interface Side {
  readonly token: string;
  readonly chain: string;
  /** Other name of `chain`. */
  readonly alias: string;
  readonly operation: 'lend' | 'withdraw';
}
const FROM: Side = { token: 'fromTokenAddress', chain: 'fromChainId', alias: 'chainIdIn', operation: 'lend' };
const TO: Side = { token: 'toTokenAddress', chain: 'toChainId', alias: 'chainIdOut', operation: 'withdraw' };

interface OtherToken {
  readonly strategy: Strategy;
  readonly side: Side;
}

/** The token on the other side of a swap and its chain; `undefined` when it is the underlying asset itself. */
function parseOther(
  reader: FieldReader,
  { chains }: OperationParseDeps,
  { strategy, side }: OtherToken,
): TokenOnChain | undefined {
  const named = parseChainOf(reader, chains, side);
  if (!reader.has(side.token)) {
    if (isElsewhere(named, strategy)) reader.addIssue(side.token, `is required with ${side.chain}`);
    return undefined;
  }
  const chain = named ?? defaultChain(reader, { strategy, side });
  const token = parseToken(reader, side.token, chain);
  if (chain === undefined || token === undefined) return undefined;
  const isUnderlying = !isElsewhere(chain, strategy) && token.address === strategy.underlying.address;
  return isUnderlying ? undefined : { chain, token };
}

const isElsewhere = (chain: Chain | undefined, strategy: Strategy): boolean =>
  chain !== undefined && chain.chainId !== strategy.chain.chainId;

/** The chain of a token that is sold is required, also when it is the chain of the strategy. */
function defaultChain(reader: FieldReader, { strategy, side }: OtherToken): Chain | undefined {
  if (reader.has(side.chain) || reader.has(side.alias)) return undefined;
  if (side === TO) return strategy.chain;
  reader.addIssue(side.chain, `is required with ${side.token}`);
  return undefined;
}

/** The other operation has no such token. Its chain may be repeated. */
function refuseSide(
  reader: FieldReader,
  side: Side,
  { strategy, chains }: { readonly strategy: Strategy; readonly chains: ChainTable },
): void {
  const chain = parseChainOf(reader, chains, side);
  if (reader.has(side.token)) reader.addIssue(side.token, `is only for the action ${side.operation}`);
  else if (isElsewhere(chain, strategy))
    reader.addIssue(side.chain, `must be the chain of the strategy, ${strategy.chain.slug}`);
}

function parseChainOf(reader: FieldReader, chains: ChainTable, { chain: name, alias }: Side): Chain | undefined {
  const read = (parameter: string): Chain | undefined =>
    reader.parsed(
      parameter,
      (text) => chains.find(text),
      () => unknownChainProblem(chains.served),
    );
  const [byName, byAlias] = [read(name), read(alias)];
  if (byName !== undefined && byAlias !== undefined && byName.chainId !== byAlias.chainId)
    reader.addIssue(alias, `names a different chain than ${name}`);
  return byName ?? byAlias;
}
