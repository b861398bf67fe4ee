import { publicUrl } from './public-url';

const at = (HOST: string, PUBLIC_URL?: string): string => publicUrl({ HOST, PORT: 4000, PUBLIC_URL });

it('is the configured public URL, also with a path, without a trailing slash', () => {
  expect(at('0.0.0.0', 'https://pay.example')).toBe('https://pay.example');
  expect(at('0.0.0.0', 'https://pay.example/afluente//')).toBe('https://pay.example/afluente');
});

it('is otherwise the address that the service listens on, in a form that clients can use', () => {
  const urls = ['127.0.0.1', 'localhost', '0.0.0.0', '::', '::1', 'fd00::7'].map((host) => at(host));
  const local = 'http://127.0.0.1:4000';
  const sixth = 'http://[::1]:4000';
  expect(urls).toEqual([local, 'http://localhost:4000', local, sixth, sixth, 'http://[fd00::7]:4000']);
});
