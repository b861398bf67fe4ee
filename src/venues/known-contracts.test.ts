import { ALICE, devnet, SOLANA_WALLET, USDC } from '../../test/swaps/swap-world';
import { WRAPPED_SOL } from '../chains/addresses';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { STRATEGY_ROUTER_ADDRESS } from '../chains/strategy-router';
import { knownContractProblem } from './known-contracts';

const chains = createChainTable(KNOWN_CHAINS);
const ethereum = chains.get(1);
const solana = chains.find('solana')!;

describe('a contract of the chain table', () => {
  it.each([
    ['the router of Uniswap V2', ethereum.uniswapV2!.router],
    ['the router of Uniswap V3', ethereum.uniswapV3!.router],
    ['the quoter of Uniswap V3', ethereum.uniswapV3!.quoter],
    ['the SpokePool of Across', ethereum.across!.spokePool],
    ['the TokenMessenger of CCTP', ethereum.cctp!.tokenMessenger],
    ['the AllowanceHolder of 0x', '0x0000000000001fF3684f28c67538d4D072C22734'],
    ['the contract of LI.FI', '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'],
    ['the router of strategies', STRATEGY_ROUTER_ADDRESS],
    ['Permit2', '0x000000000022D473030F116dDEE9F6B43aC78BA3'],
    ['the contract of the token USDC', USDC.address],
  ])('is no recipient: %s', (name, address) => {
    for (const spelling of [address, address.toLowerCase()]) {
      expect(knownContractProblem(ethereum, spelling)).toBe(`is ${name}, where tokens are lost`);
    }
  });

  it('includes the wrapped coin, and tokens and programs of Solana', () => {
    expect(knownContractProblem(devnet, devnet.wrappedNative!)).toContain('the wrapped native coin');
    expect(knownContractProblem(solana, WRAPPED_SOL)).toContain('the token SOL');
    expect(knownContractProblem(solana, solana.jupiter!.program)).toContain('Jupiter');
  });

  it('is a recipient where the chain does not have it, as is every wallet', () => {
    expect(knownContractProblem(devnet, ethereum.uniswapV3!.router)).toBeUndefined();
    expect(knownContractProblem(ethereum, ALICE)).toBeUndefined();
    expect(knownContractProblem(solana, SOLANA_WALLET)).toBeUndefined();
  });
});
