import { type Hex, keccak256, recoverAddress } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { followUntil, type LocalCctp, sendTransfer, startLocalCctp } from '../../../test/contract/cctp-transfers';
import { type TestUniverse, universeOfTests } from '../../../test/setup/universe-of-tests';

const ABSENT = `0x${'ab'.repeat(32)}`;

describe('the attestation service of the local chains', () => {
  let universe: TestUniverse;
  let cctp: LocalCctp;
  beforeAll(async () => {
    universe = await universeOfTests();
    cctp = await startLocalCctp(universe);
  });
  afterAll(() => cctp.stop());

  const exchange = async (path: string, method = 'GET') => {
    const response = await fetch(`${cctp.url}${path}`, { method });
    return { status: response.status, body: await response.json() };
  };
  const burned = async () => {
    const account = universe.accounts[5]!;
    const request = cctp.request({ amount: 5_000_000n, sender: account.address });
    return sendTransfer(cctp, { account, request });
  };

  it('returns fees in basis points, without fast fees for sources that have no fast attestation', async () => {
    await cctp.steer('fees', { fast: 1.3 });
    expect(await exchange('/v2/burn/USDC/fees/0/7')).toEqual({
      status: 200,
      body: [
        { finalityThreshold: 1000, minimumFee: 1.3 },
        { finalityThreshold: 2000, minimumFee: 0 },
      ],
    });
    expect((await exchange('/v2/burn/USDC/fees/7/0')).body).toEqual([{ finalityThreshold: 2000, minimumFee: 0 }]);
    expect((await exchange('/v2/burn/USDC/fees/0/99')).status).toBe(400);
    await cctp.steer('reset');
  });

  it('reports a missing burn as not found, and a new burn only after the index delay', async () => {
    expect((await exchange(`/v2/messages/0?transactionHash=${ABSENT}`)).status).toBe(404);
    const { originTxHash } = await burned();
    expect((await exchange(`/v2/messages/0?transactionHash=${originTxHash!}`)).status).toBe(404);
    expect((await exchange(`/v2/reattest/${ABSENT}`, 'POST')).status).toBe(404);
    expect((await exchange('/v2/messages/0')).status).toBe(400);
  });

  it('leaves a burn pending, then fills in what attesters give and signs it with every key', async () => {
    await cctp.steer('hold');
    const transfer = await burned();
    const path = `/v2/messages/0?transactionHash=${transfer.originTxHash!}`;
    await followUntil(cctp.provider, transfer, 'ATTESTATION');
    const { body: before } = await exchange(path);
    const [waiting] = before.messages;
    expect(waiting).toMatchObject({ status: 'pending_confirmations', message: '0x', attestation: 'PENDING' });
    expect((await exchange(`/v2/reattest/${waiting.eventNonce as string}`, 'POST')).status).toBe(400);
    await cctp.steer('release');
    await followUntil(cctp.provider, transfer, 'COMPLETION');
    const { body: after } = await exchange(path);
    const [message] = after.messages;
    expect(message).toMatchObject({
      status: 'complete',
      eventNonce: waiting.eventNonce,
      cctpVersion: 2,
      delayReason: null,
      decodedMessage: {
        nonce: waiting.eventNonce,
        minFinalityThreshold: '1000',
        finalityThresholdExecuted: '1000',
        decodedMessageBody: { amount: '5000000', feeExecuted: '500', maxFee: '600' },
      },
    });
    const hash = keccak256(message.message as Hex);
    const signatures = (message.attestation as string).slice(2).match(/.{130}/g)!;
    const signers = await Promise.all(signatures.map((one) => recoverAddress({ hash, signature: `0x${one}` })));
    const { publicKeys } = (await exchange('/v2/publicKeys')).body;
    expect(signers.sort()).toEqual(publicKeys.map((key: any) => publicKeyToAddress(key.publicKey as Hex)).sort());
  });

  it('reports why a fast burn has to wait for finality', async () => {
    const transfer = await burned();
    await cctp.steer('fees', { fast: 50 });
    await followUntil(cctp.provider, transfer, 'COMPLETION');
    const { body } = await exchange(`/v2/messages/0?transactionHash=${transfer.originTxHash!}`);
    expect(body.messages[0]).toMatchObject({
      delayReason: 'insufficient_fee',
      decodedMessage: { finalityThresholdExecuted: '2000', decodedMessageBody: { feeExecuted: '0' } },
    });
    await cctp.steer('reset');
  });
});
