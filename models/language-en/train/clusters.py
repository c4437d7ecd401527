import json,struct,numpy as np,sys
D=__import__('os').path.join(__import__('os').path.dirname(__import__('os').path.abspath(__file__)),'..','..','static-en-256','')
b=open(D+'model.safetensors','rb').read()
n=struct.unpack('<Q',b[:8])[0]; h=json.loads(b[8:8+n]); base=8+n
def t(name,dt):
    a,e=h[name]['data_offsets']; return np.frombuffer(b[base+a:base+e],dtype=dt).reshape(h[name]['shape'])
V=t('vectors',np.int8).astype(np.float32)*t('scales',np.float32)[:,None]
rows=t('near_rows',np.uint16)
vocab=open(D+'vocab.txt').read().split('\n')
print(V.shape,len(rows),[vocab[r] for r in rows[:10]],[vocab[r] for r in rows[5000:5010]])
X=V/np.maximum(np.linalg.norm(V,axis=1,keepdims=True),1e-6)
R=X[rows]
rng=np.random.default_rng(1)
out={}
for k in (64,512):
    C=R[rng.choice(len(R),k,replace=False)]
    for it in range(20):
        a=(R@C.T).argmax(1)
        for j in range(k):
            m=R[a==j]
            if len(m): c=m.sum(0); C[j]=c/np.linalg.norm(c)
    A=(X@C.T).argmax(1).astype(np.uint16)   # every piece
    A.tofile(f'clusters{k}.bin'); C.astype(np.float32).tofile(f'centroids{k}.bin')
    for j in (3,10,20): print(k,j,[vocab[r] for r in rows[a==j]][:20])
