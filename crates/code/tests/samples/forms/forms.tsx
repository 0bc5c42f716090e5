import React, { useState } from 'react';

export const Page = <T,>({ items, render }: { items: T[]; render(item: T): void }) => {
  const [open, setOpen] = useState<{ a: () => void } | null>(null);
  const onClick = useCallback(async () => setOpen(null), []);
  return (
    <Layout title="it's {not} code" {...rest} style={{ a: () => 1 }} onClick={() => { const inside = () => 1; }}>
      {/* a comment */}
      text with 'quotes' and function words {items.map((item) => <Item key={item.id} {...item} />)}
      {open ? <b>yes</b> : <>no <i /></>}
      <input disabled value={`a ${b}`} />
    </Layout>
  );
};

const Other = React.memo(function Other(props: Props) {
  if (a < b) return null;
  return props.a && <Row total={1} render={function named() {}} />;
});

export default () => <Page items={[]} />;
