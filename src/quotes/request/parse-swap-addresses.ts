import {
  evmAddressProblem,
  FIAT_CURRENCIES,
  isMeantAsEvm,
  isNativeToken,
  NATIVE_TOKEN,
  parseAddress,
  parseEvmAddress,
  parseSolanaAddress,
  unownedAddressProblem,
  WRAPPED_SOL,
  ZERO_ADDRESS,
} from '../../chains/addresses';
import { parseBitcoinAddress } from '../../chains/bitcoin-address';
import type { Chain } from '../../chains/chain';
import type { FieldReader } from '../../errors/field-reader';
import { knownContractProblem } from '../../venues/known-contracts';
import type { TokenReference } from './swap-intent';

const SOLANA = 'must be a Solana public key: base58 of 32 bytes';
/** The token literal of Bitcoin. */
const BTC = 'BTC';
const BITCOIN = 'must be a Bitcoin address with a valid checksum';
const TOKEN_FORM = {
  evm: tokenProblem,
  solana: `must be the mint of the token, base58 of 32 bytes, not its symbol. SOL is ${WRAPPED_SOL}`,
  bitcoin: `must be the literal ${BTC}`,
  fiat: `must be one of ${FIAT_CURRENCIES.join(', ')} on chain fiat`,
};
const WALLET_FORM = { evm: evmAddressProblem, solana: SOLANA, bitcoin: BITCOIN };
const ANY = 'must be an EVM or Bitcoin address with a valid checksum, or a Solana public key';
const anyAddressProblem = (text: string): string => (isMeantAsEvm(text) ? evmAddressProblem(text) : ANY);

function tokenProblem(text: string): string {
  if (text.length === NATIVE_TOKEN.length) return evmAddressProblem(text);
  return `must be the address of the token's contract, 0x and 40 hexadecimal digits, not its symbol. The native coin is ${NATIVE_TOKEN} or ${ZERO_ADDRESS}`;
}

/** Reads a token of the chain, by address or fiat literal; `undefined` without a chain to check it against. */
export function parseToken(
  reader: FieldReader,
  parameter: string,
  chain: Chain | undefined,
): TokenReference | undefined {
  if (!reader.has(parameter)) reader.addIssue(parameter, 'is required');
  if (chain === undefined) return undefined;
  return reader.parsed(parameter, (text) => tokenReference(chain, text), TOKEN_FORM[chain.kind]);
}

/** Token literals by kind of chain. */
const LITERALS: Partial<Record<Chain['kind'], readonly string[]>> = { fiat: FIAT_CURRENCIES, bitcoin: [BTC] };

function tokenReference({ kind }: Chain, text: string): TokenReference | undefined {
  const literals = LITERALS[kind];
  const address = literals === undefined ? parseAddress(kind, text) : literals.find((literal) => literal === text);
  if (address === undefined) return undefined;
  const isNative = kind === 'evm' && isNativeToken(address);
  return { address: isNative ? NATIVE_TOKEN : address, requestedAddress: address };
}

/** Reads a wallet of the chain, in canonical form. On chain fiat it is the wallet of the payer, of any kind. */
export function parseWallet(reader: FieldReader, parameter: string, chain: Chain | undefined): string | undefined {
  if (chain === undefined) return undefined;
  const { kind } = chain;
  if (kind === 'fiat') return parseAnyWallet(reader, parameter);
  const address = reader.parsed(parameter, (text) => parseAddress(kind, text), WALLET_FORM[kind]);
  return refuseUnowned(reader, parameter, address);
}

/** A chain, and the token that a recipient on it receives. Both are `undefined` when their parameters are malformed. */
interface ReceivedToken {
  readonly chain: Chain | undefined;
  readonly token: TokenReference | undefined;
}

/** Reads a wallet that receives a token. Contracts where it would be lost add an issue. */
export function parseRecipient(
  reader: FieldReader,
  parameter: string,
  { chain, token }: ReceivedToken,
): string | undefined {
  const address = parseWallet(reader, parameter, chain);
  if (address === undefined || chain === undefined || unownedAddressProblem(address) !== undefined) return address;
  const problem = address === token?.address ? OWN_CONTRACT : knownContractProblem(chain, address);
  if (problem !== undefined) reader.addIssue(parameter, problem);
  return address;
}

const OWN_CONTRACT = 'is the contract of the token itself, where tokens are lost';

/** Reads a wallet of any kind of chain, in canonical form. */
export function parseAnyWallet(reader: FieldReader, parameter: string): string | undefined {
  const read = (text: string) => parseEvmAddress(text) ?? parseSolanaAddress(text) ?? parseBitcoinAddress(text);
  const address = reader.parsed(parameter, read, anyAddressProblem);
  return refuseUnowned(reader, parameter, address);
}

function refuseUnowned(reader: FieldReader, parameter: string, address: string | undefined): string | undefined {
  const problem = address === undefined ? undefined : unownedAddressProblem(address);
  if (problem !== undefined) reader.addIssue(parameter, problem);
  return address;
}
