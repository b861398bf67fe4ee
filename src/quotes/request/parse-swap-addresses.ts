import {
  FIAT_CURRENCIES,
  isNativeToken,
  NATIVE_TOKEN,
  parseAddress,
  parseEvmAddress,
  parseSolanaAddress,
} from '../../chains/addresses';
import { parseBitcoinAddress } from '../../chains/bitcoin-address';
import type { Chain } from '../../chains/chain';
import type { FieldReader } from '../../errors/field-reader';
import type { TokenReference } from './swap-intent';

const EVM = 'must be an EVM address: 0x and 40 hexadecimal digits, with a valid checksum when the case is mixed';
const SOLANA = 'must be a Solana public key: base58 of 32 bytes';
/** The token literal of Bitcoin. */
const BTC = 'BTC';
const BITCOIN = 'must be a Bitcoin address with a valid checksum';
const TOKEN_FORM = {
  evm: EVM,
  solana: SOLANA,
  bitcoin: `must be the literal ${BTC}`,
  fiat: `must be one of ${FIAT_CURRENCIES.join(', ')} on chain fiat`,
};
const WALLET_FORM = { evm: EVM, solana: SOLANA, bitcoin: BITCOIN };
const ANY = 'must be an EVM or Bitcoin address with a valid checksum, or a Solana public key';

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
  return refuseReserved(reader, parameter, address);
}

/** Reads a wallet of any kind of chain, in canonical form. */
export function parseAnyWallet(reader: FieldReader, parameter: string): string | undefined {
  const read = (text: string) => parseEvmAddress(text) ?? parseSolanaAddress(text) ?? parseBitcoinAddress(text);
  const address = reader.parsed(parameter, read, ANY);
  return refuseReserved(reader, parameter, address);
}

function refuseReserved(reader: FieldReader, parameter: string, address: string | undefined): string | undefined {
  if (address !== undefined && isReserved(address)) reader.addIssue(parameter, 'is a reserved address, not a wallet');
  return address;
}

/**
 * The zero address and the precompiles, below 2^16. Some routers give them a meaning: for Uniswap's SwapRouter02 the
 * recipient 0x…02 leaves the tokens in the router, where any caller can take them.
 */
const isReserved = (address: string): boolean => /^0x0{36}/.test(address);
