import { fork } from "node:child_process";
import { build } from "rolldown";
import { pathToFileURL } from "node:url";
const root="/work/main/";
await build({input:root+"src/http/index.ts",platform:"node",output:{file:"/tmp/h3bench/http.mjs",format:"esm"},logLevel:"silent"});
const {openClient}=await import("/tmp/h3bench/http.mjs");
const delay=process.argv[2]??"0"; const N=Number(process.argv[3]??20000);
const child=fork("/tmp/h3bench/server.mjs",[delay]);
const port=await new Promise(r=>child.once("message",r));
const url=`http://127.0.0.1:${port}/v1/chat/completions`;
const body=JSON.stringify({model:"m",messages:[{role:"user",content:"What is the capital of France? ".repeat(8)}],stream:false});
const headers={"content-type":"application/json",authorization:"Bearer x"};
const client=openClient();
const ours=async()=>{const c=new AbortController();const a=await client.post({url,headers,body,signal:c.signal});return JSON.parse(await a.text(1e7));};
const theirs=async()=>{const r=await fetch(url,{method:"POST",headers,body});return r.json();};
async function run(call,inflight){let left=N;const t=performance.now();const cpu=process.cpuUsage();await Promise.all(Array.from({length:inflight},async()=>{while(left-->0)await call();}));const u=process.cpuUsage(cpu);const s=(performance.now()-t)/1000;return {rps:Math.round(N/s),cpuUsPer:Math.round((u.user+u.system)/N)};}
for(const n of [64,512]){ await run(ours,n); await run(theirs,n); for(let i=0;i<3;i++){ console.log(n,"ours",JSON.stringify(await run(ours,n)),"fetch",JSON.stringify(await run(theirs,n))); } }
child.kill(); process.exit(0);
