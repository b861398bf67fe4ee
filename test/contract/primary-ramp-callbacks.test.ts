import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChainlessRamp, openChainlessRamp } from './chainless-primary-ramp';
import { ANA, EVIDENCE } from './primary-ramp-people';

const timeout = (): AbortSignal => AbortSignal.timeout(10_000);

let world: ChainlessRamp;
beforeAll(async () => {
  world = await openChainlessRamp();
});
afterAll(() => world.stop());

const event = (changes: object = {}): string =>
  JSON.stringify({
    id: 'event-1',
    subAccountId: 'account-1',
    subscription: 'TICKET',
    createdAt: new Date().toISOString(),
    data: { ticket: { id: 'ticket-1', externalId: 'external-1', status: 'PAID' } },
    ...changes,
  });

describe('callbacks of the primary ramp', () => {
  it('are accepted with a valid signature, in either envelope, with their subject', async () => {
    const { ramp, signed } = world;
    const subject = { kind: 'ticket', id: 'ticket-1', externalId: 'external-1', accountId: 'account-1' };
    expect(await ramp.verifyCallback(await signed(event()))).toMatchObject(subject);
    expect(await ramp.verifyCallback(await signed(`{"event":${event()}}`))).toMatchObject(subject);
    const kyc = event({ data: { attempt: { id: 'attempt-1' } } });
    expect(await ramp.verifyCallback(await signed(kyc))).toMatchObject({ kind: 'kyc', id: 'attempt-1' });
  });

  it('identify payouts and their refunds by the external id', async () => {
    for (const externalId of ['external-1', 'external-1-refund']) {
      const ticket = { id: 'ramp-id', externalId, quote: { inputPaymentMethod: 'INTERNAL' } };
      const received = await world.signed(event({ data: { ticket } }));
      expect(await world.ramp.verifyCallback(received)).toMatchObject({ id: 'external-1' });
    }
  });

  it('have the same event id when they are repeated, and another one when the content differs', async () => {
    const { ramp, signed } = world;
    const body = event();
    const [first, again] = [
      await ramp.verifyCallback(await signed(body)),
      await ramp.verifyCallback(await signed(body)),
    ];
    expect(first?.eventId).toBe(again?.eventId);
    const other = await ramp.verifyCallback(await signed(event({ subAccountId: 'account-2' })));
    expect(other?.eventId).not.toBe(first?.eventId);
  });

  it('are accepted with an unknown subject and a valid signature', async () => {
    const { ramp, signed } = world;
    for (const body of ['{"data":{}}', '[1]', 'not JSON', event({ data: { ticket: {} } })]) {
      expect(await ramp.verifyCallback(await signed(body))).toMatchObject({ kind: 'other' });
    }
  });

  it('are refused when they are forged, changed, unsigned, too old, or from the future', async () => {
    const { ramp, signed } = world;
    const genuine = await signed(event());
    const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const forged = sign('sha256', genuine.rawBody, { key: otherKey, padding }).toString('base64');
    const changed = Buffer.from(event().replace('ticket-1', 'ticket-2'));
    const dated = (at: number) => signed(event({ createdAt: new Date(at).toISOString() }));
    const refused = [
      { ...genuine, headers: { signature: forged } },
      { ...genuine, rawBody: changed },
      { ...genuine, headers: {} },
      { ...genuine, headers: { signature: 'not base64 §' } },
      { ...genuine, headers: { signature: [genuine.headers.signature, forged] } },
      await dated(Date.now() - 2 * 86_400_000),
      await dated(Date.now() + 3_600_000),
    ];
    for (const received of refused) expect(await ramp.verifyCallback(received)).toBeUndefined();
    expect(await ramp.verifyCallback(genuine)).toBeDefined();
  });

  it('are verified against a rotated key, and forgeries cause one request per cooldown', async () => {
    const { ramp, signed, control, upstream, later } = world;
    later(60_000);
    const old = await signed(event());
    expect(await ramp.verifyCallback(old)).toBeDefined();
    await control('/rotate-key', {});
    const fresh = await signed(event());
    expect(await ramp.verifyCallback(fresh)).toBeDefined();
    expect(await ramp.verifyCallback(old)).toBeUndefined();
    later(60_000);
    const before = upstream.requests();
    await Promise.all(Array.from({ length: 20 }, () => ramp.verifyCallback(old)));
    expect(upstream.requests() - before).toBe(1);
  });

  it('are refused while the key is unavailable', async () => {
    const { signed, later, upstream, ramp, control } = world;
    later(7_200_000);
    const received = await signed(event());
    upstream.injectFault('responds with 500');
    expect(await ramp.verifyCallback(received)).toBeUndefined();
    upstream.injectFault(undefined);
    later(60_000);
    expect(await ramp.verifyCallback(received)).toBeDefined();
    await control('', {});
  });

  it('keep one subscription when the URL of the service changes, and leave those of other services', async () => {
    const { ramp, http } = world;
    await ramp.subscribe('http://127.0.0.1:9/hooks/ramp', timeout());
    for (const port of ['1', '2', '3', '4', '4']) {
      await ramp.subscribe(`http://127.0.0.1:${port}/callbacks/primary-ramp`, timeout());
    }
    expect(await http.get('/v2/notifications/webhooks/', {}, timeout())).toMatchObject({
      webhooks: [{ url: 'http://127.0.0.1:9/hooks/ramp' }, { url: 'http://127.0.0.1:4/callbacks/primary-ramp' }],
    });
  });

  it('arrive at the subscribed URL once, signed', async () => {
    const callbacks: { headers: IncomingHttpHeaders; rawBody: Buffer }[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        callbacks.push({ headers: request.headers, rawBody: Buffer.concat(chunks) });
        response.end();
        receiver.emit('arrived');
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { ramp, control } = world;
    const url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/callbacks`;
    await ramp.subscribe(url, timeout());
    await ramp.subscribe(url, timeout());
    const account = await ramp.openAccount(ANA, { kycUserId: 'called-back' }, timeout());
    const { attemptId } = await ramp.submitEvidence({ account, person: ANA, evidence: EVIDENCE }, timeout());
    const [first] = [once(receiver, 'arrived')];
    await control(`/attempts/${attemptId!}`, { result: 'APPROVED' });
    await first;
    expect(callbacks).toHaveLength(1);
    const verified = await ramp.verifyCallback({ ...callbacks[0]!, now: Date.now() });
    expect(verified).toMatchObject({ kind: 'kyc', id: attemptId, accountId: account.accountId });
    receiver.closeAllConnections();
    receiver.close();
  });
});
