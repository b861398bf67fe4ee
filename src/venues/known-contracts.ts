import type { Address } from 'viem';
import { entryPoint07Address } from 'viem/account-abstraction';
import { addressKey } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { STRATEGY_ROUTER_ADDRESS } from '../chains/strategy-router';
import { MULTICALL3 } from '../rpc/multicall';
import { diamondOf } from './providers/lifi/diamond';
import { allowanceHolderOf } from './providers/zero-ex/contracts';

type NamedContract = readonly [address: string | undefined, name: string];

const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

/** Contracts at the same address on every EVM chain. */
const EVERYWHERE: readonly NamedContract[] = [
  [MULTICALL3, 'Multicall3'],
  [PERMIT2, 'Permit2'],
  [entryPoint07Address, 'the EntryPoint of user operations'],
  [STRATEGY_ROUTER_ADDRESS, 'the router of strategies'],
];

const byChain = new WeakMap<Chain, ReadonlyMap<string, string>>();

/**
 * Why tokens that are sent to an address are lost, when it is a contract of the chain table: a token, a router, a bridge.
 * `undefined` for any other address.
 */
export function knownContractProblem(chain: Chain, address: string): string | undefined {
  const contracts = byChain.get(chain) ?? new Map(contractsOf(chain).flatMap(keyed));
  byChain.set(chain, contracts);
  const name = contracts.get(addressKey(address));
  return name === undefined ? undefined : `is ${name}, where tokens are lost`;
}

const keyed = ([address, name]: NamedContract): readonly (readonly [string, string])[] =>
  address === undefined ? [] : [[addressKey(address), name]];

/** A later name of an address replaces an earlier one. */
const contractsOf = (chain: Chain): readonly NamedContract[] => [
  ...(chain.kind === 'evm' ? EVERYWHERE : []),
  ...exchangesOf(chain),
  ...bridgesOf(chain),
  ...tokensOf(chain),
];

const exchangesOf = (chain: Chain): readonly NamedContract[] => [
  [allowanceHolderOf(chain), 'the AllowanceHolder of 0x'],
  [chain.uniswapV2?.router, 'the router of Uniswap V2'],
  [chain.uniswapV2?.factory, 'the factory of Uniswap V2'],
  [chain.uniswapV3?.router, 'the router of Uniswap V3'],
  [chain.uniswapV3?.factory, 'the factory of Uniswap V3'],
  [chain.uniswapV3?.quoter, 'the quoter of Uniswap V3'],
  [chain.jupiter?.program, 'the program of Jupiter'],
];

const bridgesOf = (chain: Chain): readonly NamedContract[] => [
  [chain.across?.spokePool, 'the SpokePool of Across'],
  [chain.across?.multicallHandler, 'the MulticallHandler of Across'],
  [chain.cctp?.tokenMessenger, 'the TokenMessenger of CCTP'],
  [chain.cctp?.messageTransmitter, 'the MessageTransmitter of CCTP'],
  [diamondOf(chain), 'the contract of LI.FI'],
  [chain.paymaster, 'a paymaster'],
  [chain.strategyRouter, 'the router of strategies'],
];

const tokensOf = ({ dollarTokens, connectors, wrappedNative, tokens }: Chain): readonly NamedContract[] => [
  ...[...dollarTokens, ...connectors].map((token): NamedContract => [token, 'a token contract']),
  [wrappedNative, 'the contract of the wrapped native coin'],
  ...tokens.map(({ address, symbol }): NamedContract => [address, `the contract of the token ${symbol}`]),
];
