import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import { CANONICAL } from '../../canonical-addresses';
import type { EmulatorResponse } from '../http-emulator';
import { acrossApiError, invalidParam } from './api-error';
import type { BridgedChain } from './bridged-chain';
import {
  type Chains,
  readAddress,
  readChoice,
  readFraction,
  readInteger,
  readOptionalAddress,
  readRoute,
  type RouteParameters,
} from './parameters';
import { checkLimits, feesOf, limitsOf } from './quoting';
import { spokePoolAbi, toBytes32 } from './spoke-pool';
import { type SwapApproval, swapBody } from './swap-body';
import { isSameAddress } from '../../../src/chains/addresses';
import { maxBigInt } from '../../../src/money/min-max';

export interface SwapApprovalDeps {
  readonly chains: Chains;
  /** How long a deposit may wait for its fill. */
  readonly fillDeadlineSeconds: () => number;
}

interface SwapParameters extends RouteParameters {
  readonly amount: bigint;
  readonly depositor: Address;
  readonly recipient: Address;
  readonly refundAddress: Address | undefined;
  readonly integratorId: string | undefined;
  readonly skipChecks: boolean;
  readonly skipEstimation: boolean;
}

const QUOTE_TIME_BUFFER = 3600n;
const FILL_SECONDS = 2;

/** `GET /swap/approval` for transfers of one token: price, limits, and the deposit to sign. */
export async function swapApproval(deps: SwapApprovalDeps, query: URLSearchParams): Promise<EmulatorResponse> {
  const parameters = readParameters(deps.chains, query);
  const { origin, amount } = parameters;
  checkLimits(parameters, amount, await limitsOf(parameters));
  const fees = await feesOf(parameters, amount);
  const outputAmount = amount - fees.relayerCapital - fees.destinationGas - fees.lp;
  const times = await timesOf(parameters, deps.fillDeadlineSeconds());
  const data = depositData(parameters, { outputAmount, ...times, ...(await delivery(parameters)) });
  const value = parameters.isInputNative ? amount : undefined;
  const transaction = { chainId: origin.chainId, to: origin.spokePool, data, value };
  const funds = parameters.skipChecks ? { allowance: 0n, balance: 0n } : await readFunds(parameters);
  const approval: SwapApproval = {
    route: parameters,
    amount,
    fees,
    outputAmount,
    funds,
    transaction,
    gas: await estimate(parameters, { ...funds, data, value }),
    fillSeconds: FILL_SECONDS,
    expiry: times.quoteTimestamp + QUOTE_TIME_BUFFER,
  };
  return { body: swapBody(approval) };
}

function readParameters(chains: Chains, query: URLSearchParams): SwapParameters {
  const amount = readInteger(query, 'amount');
  const depositor = readAddress(query, 'depositor');
  const integratorId = query.get('integratorId') ?? undefined;
  const tradeType = readChoice(query, 'tradeType', ['exactInput', 'minOutput', 'exactOutput']);
  readFraction(query, 'slippage', 0.5);
  readChoice(query, 'routingPreference', ['default', 'across', 'native']);
  if (integratorId !== undefined && !/^0x[0-9a-fA-F]{4}$/.test(integratorId)) {
    throw invalidParam('integratorId', 'Invalid integrator ID. Needs to be 2 bytes hex string.');
  }
  if (readChoice(query, 'refundOnOrigin', ['true', 'false']) === 'false') {
    const message = "Query param 'refundOnOrigin' must be 'true' for same-asset bridge swaps.";
    throw invalidParam('refundOnOrigin', message);
  }
  const route = readRoute(chains, query);
  if (tradeType !== 'exactInput') {
    throw acrossApiError('SWAP_TYPE_NOT_GUARANTEED', 'Trade type can not be guaranteed on this route.');
  }
  return {
    ...route,
    amount,
    depositor,
    integratorId,
    recipient: readOptionalAddress(query, 'recipient') ?? depositor,
    refundAddress: readOptionalAddress(query, 'refundAddress'),
    skipChecks: readChoice(query, 'skipChecks', ['false', 'true']) === 'true',
    skipEstimation: readChoice(query, 'skipOriginTxEstimation', ['false', 'true']) === 'true',
  };
}

/** The clock of a chain stands while nothing happens on it. */
async function timesOf({ origin, destination }: SwapParameters, fillDeadlineSeconds: number) {
  const [quoteTimestamp, there] = await Promise.all([origin.now(), destination.now()]);
  const here = BigInt(Math.floor(Date.now() / 1000));
  return {
    quoteTimestamp,
    fillDeadline: maxBigInt(here, there, quoteTimestamp) + BigInt(fillDeadlineSeconds),
  };
}

interface Delivery {
  readonly receiver: Address;
  readonly message: Hex;
}

const handler = parseAbi([
  'struct Replacement { address token; uint256 offset; }',
  'function drainLeftoverTokens(address token, address destination)',
  'function makeCallWithBalance(address target, bytes callData, uint256 value, Replacement[] replacement)',
]);
const wrapper = parseAbi(['function withdraw(uint256 amount)']);
const instructions = parseAbiParameters([
  'Instructions instructions',
  'struct Instructions { Call[] calls; address fallbackRecipient; }',
  'struct Call { address target; bytes callData; uint256 value; }',
]);

/**
 * The SpokePool delivers the wrapped coin as coin to accounts, and wrapped to contracts. For the other form the deposit
 * goes through the MulticallHandler, with instructions in its message.
 */
async function delivery({ destination, outputToken, recipient, isOutputNative }: SwapParameters): Promise<Delivery> {
  const plain: Delivery = { receiver: recipient, message: '0x' };
  if (!isSameAddress(outputToken.address, CANONICAL.weth)) return plain;
  if (isOutputNative !== (await isContract(destination, recipient))) return plain;
  const { multicallHandler } = destination;
  if (multicallHandler === undefined) throw acrossApiError('ROUTE_NOT_ENABLED', 'Messages are not supported');
  const drain = (token: Address) =>
    encodeFunctionData({ abi: handler, functionName: 'drainLeftoverTokens', args: [token, recipient] });
  const calls = [
    ...(isOutputNative ? [unwrapAll(outputToken.address)] : []),
    drain(isOutputNative ? zeroAddress : outputToken.address),
    drain(outputToken.address),
  ].map((callData) => ({ target: multicallHandler, callData, value: 0n }));
  const message = encodeAbiParameters(instructions, [{ calls, fallbackRecipient: zeroAddress }]);
  return { receiver: multicallHandler, message };
}

function unwrapAll(weth: Address): Hex {
  const callData = encodeFunctionData({ abi: wrapper, functionName: 'withdraw', args: [0n] });
  const args = [weth, callData, 0n, [{ token: weth, offset: 4n }]] as const;
  return encodeFunctionData({ abi: handler, functionName: 'makeCallWithBalance', args });
}

/** An account that delegates its code is one still. */
async function isContract({ client }: BridgedChain, address: Address): Promise<boolean> {
  const code = (await client.getCode({ address })) ?? '0x';
  return code !== '0x' && !code.startsWith('0xef0100');
}

interface DepositTerms extends Delivery {
  readonly outputAmount: bigint;
  readonly quoteTimestamp: bigint;
  readonly fillDeadline: bigint;
}

const INTEGRATOR_DELIMITER: Hex = '0x1dc0de';
const SWAP_API_MARKER: Hex = '0x73c0de';

function depositData(parameters: SwapParameters, terms: DepositTerms): Hex {
  const { inputToken, outputToken, amount, destination, integratorId } = parameters;
  const small = (value: bigint) => Number.parseInt(value.toString(), 10);
  const data = encodeFunctionData({
    abi: spokePoolAbi,
    functionName: 'deposit',
    args: [
      toBytes32(parameters.refundAddress ?? parameters.depositor),
      toBytes32(terms.receiver),
      ...([toBytes32(inputToken.address), toBytes32(outputToken.address)] as const),
      ...([amount, terms.outputAmount, BigInt(destination.chainId), toBytes32(zeroAddress)] as const),
      ...([small(terms.quoteTimestamp), small(terms.fillDeadline), 0, terms.message] as const),
    ],
  });
  const integrator: readonly Hex[] =
    integratorId === undefined ? [] : [INTEGRATOR_DELIMITER, `0x${integratorId.slice(2)}`];
  return concatHex([data, ...integrator, SWAP_API_MARKER]);
}

async function readFunds({ origin, inputToken, isInputNative, depositor }: SwapParameters) {
  const { client, spokePool } = origin;
  if (isInputNative) return { allowance: maxUint256, balance: await client.getBalance({ address: depositor }) };
  const token = { address: inputToken.address, abi: erc20Abi };
  const [allowance, balance] = await Promise.all([
    client.readContract({ ...token, functionName: 'allowance', args: [depositor, spokePool] }),
    client.readContract({ ...token, functionName: 'balanceOf', args: [depositor] }),
  ]);
  return { allowance, balance };
}

interface EstimateInput {
  readonly allowance: bigint;
  readonly balance: bigint;
  readonly data: Hex;
  readonly value: bigint | undefined;
}

/** Gas of the deposit; `undefined` when it was not wanted, or the depositor could not send it yet. */
async function estimate(parameters: SwapParameters, { allowance, balance, data, value = 0n }: EstimateInput) {
  const { origin, amount, depositor, skipEstimation } = parameters;
  if (skipEstimation || allowance < amount || balance < amount) return undefined;
  return origin.client.estimateGas({ account: depositor, to: origin.spokePool, data, value });
}
