import { type Stop, stopAll } from './stop-all';

describe('stopAll', () => {
  it('stops each part once, in the reverse order of their start', async () => {
    const stopped: string[] = [];
    const stops = ['first', 'second'].map(
      (name): Stop =>
        () =>
          Promise.resolve(void stopped.push(name)),
    );
    await Promise.all([stopAll(stops), stopAll(stops)]);
    await stopAll(stops);
    expect(stopped).toEqual(['second', 'first']);
  });

  it('stops the other parts when one fails, and reports the failure', async () => {
    const stopped: string[] = [];
    const stops: Stop[] = [() => Promise.resolve(void stopped.push('first')), () => Promise.reject(new Error('stuck'))];
    await expect(stopAll(stops)).rejects.toMatchObject({ errors: [expect.objectContaining({ message: 'stuck' })] });
    expect(stopped).toEqual(['first']);
  });
});
