import type { Hex } from 'viem';
import { serviceError } from '../../../errors/service-error';
import { formatBaseUnits } from '../../../money/base-units';
import type { SimulationView } from '../../../quotes/quote-view';
import type { FeeData } from '../../../rpc/fee-data';
import type { Rpc } from '../../../rpc/rpc';
import { encodeAccountCalls, stubSignature } from '../../../smart-accounts/safe-account';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import type { BuiltUserOperation, OutputBuilders, UserOperationRequest } from '../output-builders';
import { type AccountDeps, type AccountState, readAccount } from './safe-state';
import { dataGas } from './l1-data-gas';
import { gasLimits, type Operation, preVerificationGas, prefundOf, totalGas, UNTRIED_GAS } from './gas-limits';
import { operationView, timedSignature, type UserOperationView, type Validity } from './user-operation-view';
import { paymasterData, PAYMASTER_DATA_BYTES, type PaymasterSigner, type Sponsorship } from './paymaster';
import { tryOperation } from './simulate-operation';

export interface UserOperationDeps extends AccountDeps {
  readonly rpc: Pick<Rpc, 'multicall' | 'simulate' | 'feeData'>;
  /** Of the paymasters in the chain table; without it nothing is sponsored. */
  readonly paymasterSigner: PaymasterSigner | undefined;
}

/** A user operation whose JSON is known. */
export interface SafeUserOperation extends BuiltUserOperation {
  readonly userOperation: UserOperationView;
}

export interface UserOperationBuilder extends Pick<OutputBuilders, 'buildUserOperation'> {
  /**
   * The calls as one unsigned user operation of a Safe, which is deployed by it when it is not there yet. All calls are
   * made, or none. What it would do is told by `simulation`; only a sponsored one has to succeed.
   *
   * The operations of an action have a lane of nonces of their own, so that of any number of them one is executed, and
   * none waits for another action's.
   *
   * @throws VALIDATION_ERROR on `originAddress` when the account is none, on `output` when the chain has no EntryPoint;
   * FEE_SPONSORSHIP_NOT_ALLOWED when nobody pays for gas on the chain; BYTECODE_GENERATION_FAILED when an operation of
   * the action was executed already, or a sponsored one would fail; PROVIDER_UNAVAILABLE
   */
  buildUserOperation(request: UserOperationRequest): Promise<SafeUserOperation>;
}

export const createUserOperationBuilder = (deps: UserOperationDeps): UserOperationBuilder => ({
  buildUserOperation: (request) => build(deps, request),
});

async function build(deps: UserOperationDeps, request: UserOperationRequest): Promise<SafeUserOperation> {
  const { chain, calls, signal } = request;
  const { chainId } = chain;
  const sponsor = request.sponsored ? sponsorOf(deps, request) : undefined;
  const [state, fees, callData] = await Promise.all([
    readAccount(deps, { ...request, paymaster: sponsor?.paymaster, nonceKey: nonceKeyOf(request) }),
    deps.rpc.feeData(chainId),
    encodeAccountCalls(calls),
  ]);
  assertUnused(state);
  const validity = { validAfter: 0, validUntil: secondsOf(request.deadline) ?? 0 };
  const draft = await draftOperation({ request, state, callData, fees, validity, sponsor });
  const [tried, published] = await Promise.all([
    tryOperation(deps.rpc, {
      chainId,
      operation: await sponsored(draft, sponsor),
      calls,
      signal,
      threshold: state.threshold,
      balance: state.balance,
    }),
    dataGas(deps.rpc, { chainId, operation: draft, feePerGas: fees.expectedFeePerGas, signal }),
  ]);
  const operation = withLimits(draft, { ...gasLimits(tried.gas), published });
  const simulation = judge(request, { state, operation, simulation: tried.simulation });
  if (sponsor !== undefined) assertSponsored({ state, operation, simulation });
  const signable = await sponsored(operation, sponsor);
  return {
    callData,
    simulation,
    entryPoint: ENTRY_POINT,
    userOperation: operationView({ chainId, operation: signable, ...validity }),
    gasLimit: tried.simulation.status === 'SUCCESS' ? totalGas(operation) : undefined,
  };
}

interface Sponsor extends Sponsorship {
  readonly signer: PaymasterSigner;
}

const SPONSORED_SECONDS = 600;

function sponsorOf({ paymasterSigner: signer }: UserOperationDeps, { chain, deadline }: UserOperationRequest): Sponsor {
  const { chainId, slug, paymaster } = chain;
  if (signer === undefined || paymaster === undefined) {
    throw serviceError('FEE_SPONSORSHIP_NOT_ALLOWED', {}, { details: { reason: `nobody pays for gas on ${slug}` } });
  }
  const validUntil = secondsOf(deadline) ?? Math.floor(Date.now() / 1000) + SPONSORED_SECONDS;
  return { signer, chainId, paymaster, validUntil };
}

const secondsOf = (instant: Date | undefined): number | undefined =>
  instant === undefined ? undefined : Math.floor(instant.getTime() / 1000);

const nonceKeyOf = ({ actionId }: UserOperationRequest): bigint => BigInt(`0x${actionId.replaceAll('-', '')}`);

const SEQUENCE = 2n ** 64n - 1n;

/** Of the operations of an action one is executed: the nonces in its lane begin with zero. */
function assertUnused({ nonce }: AccountState): void {
  if ((nonce & SEQUENCE) === 0n) return;
  throw serviceError('BYTECODE_GENERATION_FAILED', { reason: 'a user operation of this action was executed already' });
}

/** As long as the word of a paymaster. */
const UNSIGNED = { paymasterData: `0x${'ff'.repeat(PAYMASTER_DATA_BYTES)}` } as const;

interface Draft {
  readonly request: UserOperationRequest;
  readonly state: AccountState;
  readonly callData: Hex;
  readonly fees: FeeData;
  readonly validity: Validity;
  readonly sponsor: Sponsor | undefined;
}

/** The operation with limits that are high enough to be as long as the real ones. */
async function draftOperation({ request, state, callData, fees, validity, sponsor }: Draft): Promise<Operation> {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const operation: Operation = {
    sender: request.account,
    nonce: state.nonce,
    callData,
    maxFeePerGas,
    maxPriorityFeePerGas,
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    ...state.deployment,
    signature: timedSignature(validity, await stubSignature(state.threshold)),
    ...(sponsor === undefined ? {} : { paymaster: sponsor.paymaster, paymasterPostOpGasLimit: 0n, ...UNSIGNED }),
  };
  return withLimits(operation, { ...gasLimits({ ...UNTRIED_GAS, threshold: state.threshold }), published: 0n });
}

interface Limits extends ReturnType<typeof gasLimits> {
  /** Gas for publishing the operation. */
  readonly published: bigint;
}

function withLimits(operation: Operation, limits: Limits): Operation {
  const { callGasLimit, verificationGasLimit, paymasterVerificationGasLimit, published } = limits;
  const limited = {
    ...operation,
    callGasLimit,
    verificationGasLimit,
    ...(operation.paymaster === undefined ? {} : { paymasterVerificationGasLimit }),
  };
  return { ...limited, preVerificationGas: preVerificationGas(limited) + published };
}

/** With the word of who pays for it, where somebody does. */
async function sponsored(operation: Operation, sponsor: Sponsor | undefined): Promise<Operation> {
  if (sponsor === undefined) return operation;
  return { ...operation, paymasterData: await paymasterData(sponsor.signer, operation, sponsor) };
}

interface Judgement {
  readonly state: AccountState;
  readonly operation: Operation;
  readonly simulation: SimulationView;
}

/** Whoever lacks the coin need not be told in what way that makes the operation fail. */
function judge({ chain, calls }: UserOperationRequest, { state, operation, simulation }: Judgement): SimulationView {
  const prefund = operation.paymaster === undefined ? positive(prefundOf(operation) - state.deposit) : 0n;
  const needed = calls.reduce((sum, { value }) => sum + value, prefund);
  if (state.balance >= needed) return simulation;
  const { symbol, decimals } = chain.nativeCurrency;
  const inWords = (amount: bigint) => `${formatBaseUnits(amount, decimals)} ${symbol}`;
  const reason = `the account holds ${inWords(state.balance)} of ${inWords(needed)} needed, gas included`;
  return { status: 'INSUFFICIENT_BALANCE', reason };
}

const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

/** A paymaster pays for what fails as well: it is asked only for what succeeds now. */
function assertSponsored({ state, operation, simulation: { status, reason = '' } }: Judgement): void {
  if (status !== 'SUCCESS') {
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: `only what would succeed is sponsored: ${reason}` });
  }
  if (state.deposit < prefundOf(operation)) {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'paymaster', reason: 'its deposit does not cover the gas' });
  }
}
