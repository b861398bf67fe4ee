import type { Chain } from '../../chains/chain';
import { type ChainTable, unknownChainProblem } from '../../chains/chain-table';
import { validationError } from '../../errors/validation';
import type { BaseUnits } from '../../money/base-units';
import { createFieldReader, type FieldReader, type RawFields } from '../../errors/field-reader';
import { parseOutput } from '../../quotes/request/parse-output';
import { parseAmount, parseWebhookUrl } from '../../quotes/request/parse-quote-request';
import { parseToken, parseWallet } from '../../quotes/request/parse-swap-addresses';
import type { Output, TokenReference } from '../../quotes/request/swap-intent';
import type { WebhookUrlPolicy } from '../../webhooks/webhook-url-problem';

export interface TransferParseDeps {
  readonly chains: ChainTable;
  readonly webhookUrls: WebhookUrlPolicy;
}

/** A well-formed transfer request. Whether the token exists is checked later. */
export interface TransferRequest {
  readonly chain: Chain;
  readonly token: TokenReference;
  readonly amount: BaseUnits;
  readonly sender: string;
  readonly recipient: string;
  readonly output: Output;
  /** Account of the custody vault. Only with the output `custody`. */
  readonly accountId: string | undefined;
  /** Memo of a transfer on Solana. */
  readonly memo: string | undefined;
  readonly webhookUrl: string | undefined;
}

/** Memos share the 1232 bytes of a transaction. */
const MAX_MEMO_BYTES = 256;

/** Field names of a party: the current name, and the name that it replaced. */
type PartyNames = readonly [name: string, oldName: string];
const SENDER: PartyNames = ['originAddress', 'walletOrigin'];
const RECIPIENT: PartyNames = ['destinationAddress', 'walletDestination'];

/** @throws VALIDATION_ERROR with all malformed fields at once */
export function parseTransferRequest({ chains, webhookUrls }: TransferParseDeps, fields: RawFields): TransferRequest {
  const reader = createFieldReader(fields);
  const chain = parseTransferChain(reader, chains);
  const token = parseToken(reader, 'token', chain);
  if (!reader.has('amount')) reader.addIssue('amount', 'is required');
  const amount = parseAmount(reader, 'amount');
  const sender = parseParty(reader, SENDER, chain);
  const recipient = parseParty(reader, RECIPIENT, chain);
  const choice = parseOutput(reader, { origin: chain });
  const memo = parseMemo(reader, chain);
  const webhookUrl = parseWebhookUrl(reader, webhookUrls);
  const parsed = { chain, token, amount, sender, recipient };
  if (reader.issues.length > 0 || !isComplete(parsed)) throw validationError(reader.issues);
  return { ...parsed, ...choice, memo, webhookUrl };
}

type Parsed<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined };
type RequiredFields = Pick<TransferRequest, 'chain' | 'token' | 'amount' | 'sender' | 'recipient'>;

const isComplete = (parsed: Parsed<RequiredFields>): parsed is RequiredFields =>
  !Object.values(parsed).includes(undefined);

const hasTransfers = ({ kind }: Chain): boolean => kind === 'evm' || kind === 'solana';

function parseTransferChain(reader: FieldReader, chains: ChainTable): Chain | undefined {
  if (!reader.has('chainId')) reader.addIssue('chainId', 'is required');
  const chain = reader.parsed(
    'chainId',
    (text) => chains.find(text),
    () => unknownChainProblem(chains.served.filter(hasTransfers)),
  );
  if (chain === undefined || hasTransfers(chain)) return chain;
  reader.addIssue('chainId', `is ${chain.slug}, which has no token transfers`);
  return undefined;
}

/** A wallet by its current or its old field name. Both are accepted only when they are equal. */
function parseParty(reader: FieldReader, names: PartyNames, chain: Chain | undefined): string | undefined {
  const [name, oldName] = names;
  if (!names.some((each) => reader.has(each))) reader.addIssue(name, 'is required');
  const wallet = parseWallet(reader, name, chain);
  const underOldName = parseWallet(reader, oldName, chain);
  if (wallet !== undefined && underOldName !== undefined && wallet !== underOldName) {
    reader.addIssue(oldName, `is the former name of ${name}, and has another value`);
  }
  return wallet ?? underOldName;
}

function parseMemo(reader: FieldReader, chain: Chain | undefined): string | undefined {
  const memo = reader.text('memo', MAX_MEMO_BYTES);
  if (memo === undefined) return undefined;
  if (chain !== undefined && chain.kind !== 'solana')
    reader.addIssue('memo', 'is only allowed for transfers on Solana');
  if (Buffer.byteLength(memo) > MAX_MEMO_BYTES) reader.addIssue('memo', `must be at most ${MAX_MEMO_BYTES} bytes long`);
  return memo;
}
