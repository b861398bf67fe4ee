import { createHttpClient } from '../../src/http/http-client';
import { createSecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import { type LocalSecondaryRamp, startLocalSecondaryRamp } from './secondary-ramp-world';
import { json, startScriptedUpstream } from './scripted-upstream';

let local: LocalSecondaryRamp;
beforeAll(async () => {
  local = await startLocalSecondaryRamp();
});
afterAll(() => local.stop());

const signal = () => AbortSignal.timeout(10_000);
const configs = async (): Promise<any[]> => (await local.request('/v1/webhook-configs')).data;

describe('the subscription to callbacks of the secondary ramp', () => {
  it('creates an enabled webhook for all events', async () => {
    await local.ramp.subscribe('http://127.0.0.1:1/first', signal());
    expect(await configs()).toMatchObject([{ url: 'http://127.0.0.1:1/first', enabled: true }]);
    expect((await configs())[0].subscriptions).toEqual(expect.arrayContaining(['payin.completed', 'payout.completed']));
  });

  it('changes nothing when it is repeated, and updates the only webhook for another URL', async () => {
    const [before] = await configs();
    await local.ramp.subscribe(before.url, signal());
    expect(await configs()).toEqual([before]);
    await local.ramp.subscribe('http://127.0.0.1:1/second', signal());
    expect(await configs()).toEqual([{ ...before, url: 'http://127.0.0.1:1/second' }]);
  });

  it('fails when the ramp fails', async () => {
    local.upstream.injectFault('responds with 500');
    await expect(local.ramp.subscribe('http://127.0.0.1:1/third', signal())).rejects.toMatchObject({ status: 500 });
    local.upstream.injectFault(undefined);
    expect(await configs()).toMatchObject([{ url: 'http://127.0.0.1:1/second' }]);
  });

  it('fails when the ramp refuses for another reason, or does not list its webhook', async () => {
    const upstream = await startScriptedUpstream();
    const http = createHttpClient({ baseUrl: upstream.url });
    const ramp = createSecondaryRamp({ http, networks: {} });
    const subscribed = () => ramp.subscribe('https://service.test/callbacks', signal());
    upstream.play(json({ code: 'invalid_url' }, 422));
    await expect(subscribed()).rejects.toMatchObject({ status: 422 });
    expect(upstream.requests).toHaveLength(1);
    upstream.play(json({ error: { code: 'webhook_config_already_exists' } }, 422), json([]));
    await expect(subscribed()).rejects.toMatchObject({ kind: 'unreadable' });
    upstream.play(json({ error: 'webhook_config_already_exists' }, 422), json([{ id: 'w/1' }]), json({}));
    await subscribed();
    expect(upstream.requests[2]).toMatchObject({ method: 'PUT', path: '/v1/webhook-configs/w%2F1' });
    await http.close();
    upstream.close();
  });
});
