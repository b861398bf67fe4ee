import { type Address, getAddress, isAddress, zeroAddress } from 'viem';
import { CANONICAL } from '../../canonical-addresses';
import { acrossApiError, invalidParam } from './api-error';
import type { BridgedChain } from './bridged-chain';
import type { Route } from './quoting';
import { parseBaseUnits } from '../../../src/money/base-units';

export type Chains = ReadonlyMap<number, BridgedChain>;

/** Route of a request and whether its ends are the native coin, which the API spells as the zero address. */
export interface RouteParameters extends Route {
  readonly isInputNative: boolean;
  readonly isOutputNative: boolean;
}

/** @throws AcrossApiError */
export function readRoute(chains: Chains, query: URLSearchParams): RouteParameters {
  const input = readAddress(query, 'inputToken');
  const output = readAddress(query, 'outputToken');
  const origin = readChain(chains, query, 'originChainId');
  const destination = readChain(chains, query, 'destinationChainId');
  const inputToken = tokenOf(origin, input);
  const outputToken = tokenOf(destination, output);
  if (origin === destination || inputToken === undefined || inputToken.symbol !== outputToken?.symbol) {
    throw acrossApiError('ROUTE_NOT_ENABLED', `Route is not enabled: ${input} to ${output}`);
  }
  return {
    origin,
    destination,
    inputToken,
    outputToken,
    isInputNative: input === zeroAddress,
    isOutputNative: output === zeroAddress,
  };
}

const tokenOf = ({ tokens }: BridgedChain, address: Address) => {
  const erc20 = address === zeroAddress ? CANONICAL.weth : address;
  return tokens.find((token) => getAddress(token.address) === getAddress(erc20));
};

function readChain(chains: Chains, query: URLSearchParams, param: string): BridgedChain {
  const chainId = readInteger(query, param);
  const chain = chains.get(Number.parseInt(chainId.toString(), 10));
  if (chain === undefined) throw invalidParam(param, `Unsupported chain id: ${chainId.toString()}`);
  return chain;
}

export function readInteger(query: URLSearchParams, param: string): bigint {
  const integer = parseBaseUnits(query.get(param) ?? '') ?? 0n;
  if (integer === 0n) throw badType(param, 'positiveInteger');
  return integer;
}

export function readAddress(query: URLSearchParams, param: string): Address {
  const text = query.get(param);
  if (text === null || !isAddress(text, { strict: false })) throw badType(param, 'validAddress');
  return getAddress(text);
}

export const readOptionalAddress = (query: URLSearchParams, param: string): Address | undefined =>
  query.has(param) ? readAddress(query, param) : undefined;

/** @throws AcrossApiError when the value is none of them. */
export function readChoice<Choice extends string>(
  query: URLSearchParams,
  param: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const text = query.get(param);
  if (text === null) return choices[0];
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw badType(param, 'enums');
  return choice;
}

export function readFraction(query: URLSearchParams, param: string, maximum: number): number | undefined {
  const text = query.get(param);
  if (text === null || text === 'auto') return undefined;
  const fraction = /^[0-9]*\.?[0-9]+$/.test(text) ? +text : Number.NaN;
  if (!(fraction <= maximum)) throw badType(param, 'positiveFloatStr');
  return fraction;
}

const badType = (param: string, type: string) =>
  invalidParam(param, `Invalid parameter at path '${param}'. Expected type '${type}'`);
