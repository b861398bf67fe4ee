import { type Address, type Hex, encodeFunctionData, parseAbi, stringToHex } from 'viem';
import { type Artifact, initCode, linked, multicall3InitCode, packagedArtifact } from './artifacts';
import { CANONICAL, DEPLOYERS } from './canonical-addresses';
import type { JsonRpc } from './json-rpc';
import { type SetupTransaction, hex, runTransactions } from './setup-transactions';
import type { DevnetTokens } from './tokens';

interface Deployment {
  readonly label: string;
  readonly from: Address;
  readonly nonce: number;
  readonly data: Hex;
}

const periphery = (file: string): Artifact =>
  packagedArtifact(`@uniswap/v3-periphery/artifacts/contracts/${file}.json`);

function venueDeployments(): readonly Deployment[] {
  const { weth, v2Factory, v3Factory, v3NftDescriptor, v3PositionDescriptor, v3PositionManager } = CANONICAL;
  const router02 = '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json';
  const core = '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json';
  const descriptor = linked(
    periphery('NonfungibleTokenPositionDescriptor.sol/NonfungibleTokenPositionDescriptor'),
    v3NftDescriptor,
  );
  const v2 = (label: string, nonce: number, code: Hex) => ({ label, from: DEPLOYERS.v2, nonce, data: code });
  const v3 = (label: string, nonce: number, code: Hex) => ({ label, from: DEPLOYERS.v3, nonce, data: code });
  return [
    { label: 'Multicall3', from: DEPLOYERS.multicall3, nonce: 0, data: multicall3InitCode() },
    {
      label: 'WETH9',
      from: DEPLOYERS.weth,
      nonce: 446,
      data: initCode(packagedArtifact('canonical-weth/build/contracts/WETH9.json'), []),
    },
    v2('V2 factory', 0, initCode(packagedArtifact('@uniswap/v2-core/build/UniswapV2Factory.json'), [DEPLOYERS.v2])),
    v2(
      'V2 router',
      3,
      initCode(packagedArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json'), [v2Factory, weth]),
    ),
    v3('V3 factory', 0, initCode(packagedArtifact(core), [])),
    v3('V3 tick lens', 2, initCode(periphery('lens/TickLens.sol/TickLens'), [])),
    v3('V3 NFT descriptor', 5, initCode(periphery('libraries/NFTDescriptor.sol/NFTDescriptor'), [])),
    v3('V3 position descriptor', 6, initCode(descriptor, [weth, stringToHex('ETH', { size: 32 })])),
    v3(
      'V3 position manager',
      8,
      initCode(periphery('NonfungiblePositionManager.sol/NonfungiblePositionManager'), [
        ...[v3Factory, weth, v3PositionDescriptor],
      ]),
    ),
    v3('V3 quoter', 13, initCode(periphery('lens/QuoterV2.sol/QuoterV2'), [v3Factory, weth])),
    v3('V3 router', 14, initCode(packagedArtifact(router02), [v2Factory, v3Factory, v3PositionManager, weth])),
  ];
}

/** Deploys the venues, Multicall3 and the tokens at their addresses; the set-up accounts must be impersonated. */
export async function deployContracts(rpc: JsonRpc, tokens: DevnetTokens): Promise<void> {
  const deployments = venueDeployments();
  const firstNonces = new Map(deployments.map(({ from }) => [from, 0]));
  firstNonces.set(DEPLOYERS.weth, 446);
  await rpc.batch([...firstNonces].map(([from, nonce]) => ({ method: 'anvil_setNonce', params: [from, hex(nonce)] })));
  const venues = [...firstNonces].flatMap(([from, first]) => withFillers(deployments, from, first));
  await runTransactions(rpc, [...venues, feeTier100(), ...tokenDeployments(tokens)]);
}

/** The deployments of one account, with an empty transaction for each nonce that went to something else. */
function withFillers(deployments: readonly Deployment[], from: Address, first: number): readonly SetupTransaction[] {
  const own = new Map(deployments.filter((item) => item.from === from).map((item) => [item.nonce, item]));
  const count = Math.max(...own.keys()) - first + 1;
  return Array.from({ length: count }, (_, index) => first + index).map(
    (nonce) => own.get(nonce) ?? { label: 'an empty transaction', from, to: from, nonce },
  );
}

function feeTier100(): SetupTransaction {
  const data = encodeFunctionData({
    abi: parseAbi(['function enableFeeAmount(uint24 fee, int24 tickSpacing)']),
    args: [100, 1],
  });
  return { label: 'V3 fee tier 100', from: DEPLOYERS.v3, nonce: 15, to: CANONICAL.v3Factory, data };
}

function tokenDeployments(tokens: DevnetTokens): readonly SetupTransaction[] {
  return Object.values(tokens)
    .flatMap(({ symbol, deployment }) => (deployment === undefined ? [] : [{ symbol, deployment }]))
    .map(({ symbol, deployment }, index) => ({
      label: symbol,
      from: DEPLOYERS.v2,
      nonce: 4 + index,
      to: CANONICAL.create2Factory,
      data: deployment,
    }));
}
