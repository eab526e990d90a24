"""Workload manifests to the pods that their controllers would still create.

A workload counts as a manifest while no API server has stored it, that is,
while it has no uid; a live one has its pods in the snapshot. So has a
ReplicaSet that comes together with pods of its own: nobody writes these.

Source: https://kubernetes.io/docs/concepts/workloads/controllers/
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Literal

from ..model import api
from ..model.cluster import Cluster
from ..model.errors import BadInput
from ..model.labels import selects
from ..model.reasons import Warning
from .daemon_pods import daemon_specs
from .pod_factory import PodFactory, claims_of, identified, with_claims

Which = Literal["manifests", "all", "none"]
HASH_LABEL = "pod-template-hash"
MOST_PODS = 1_000_000
_REPLICATING = ("ReplicaSet", "ReplicationController")


def expand(cluster: Cluster, *, which: Which = "manifests", cronjobs: bool = False) -> Cluster:
    """The cluster with the pods, and their claims, that workloads still lack.

    Parameters
    ----------
    cluster : Cluster
        Before admission.
    which : str
        ``manifests``: workloads that were never stored. ``all``: live ones too. ``none``: no workload.
    cronjobs : bool
        Whether each CronJob runs once more.

    Raises
    ------
    BadInput
        For a selector that does not select the template's own pods, and for more than a million pods.
    """
    if which == "none" or not cluster.workloads:
        return cluster
    return _Expansion(cluster, which == "all", cronjobs).run()


class _Expansion:
    def __init__(self, cluster: Cluster, everything: bool, cronjobs: bool) -> None:
        self.cluster = cluster
        self.everything = everything
        self.cronjobs = cronjobs
        self.factory = PodFactory(cluster)
        self.workloads: list[api.Workload] = []
        self.replica_sets = [w for w in cluster.workloads if w.kind == "ReplicaSet"]
        self.known = {workload.key for workload in cluster.workloads}

    def run(self) -> Cluster:
        for workload in self.cluster.workloads:
            if self._due(workload):
                owner = identified(workload)
                self.workloads.append(owner)
                self._expand(owner)
            else:
                self.workloads.append(workload)
        gone = self.factory.replaced
        return self.cluster.with_changes(
            pods=tuple(pod for pod in (*self.cluster.pods, *self.factory.pods) if id(pod) not in gone),
            workloads=tuple(self.workloads),
            persistent_volume_claims=(*self.cluster.persistent_volume_claims, *self.factory.claims),
            warnings=(*self.cluster.warnings, *self._warnings()),
        )

    def _due(self, workload: api.Workload) -> bool:
        if not self.everything and (workload.metadata.uid or self._shown_with_pods(workload)):
            return False
        owner = workload.metadata.controller
        owned = owner is not None and f"{owner.kind}/{workload.metadata.namespace}/{owner.name}" in self.known
        return not owned and (workload.kind != "CronJob" or self.cronjobs)

    def _shown_with_pods(self, workload: api.Workload) -> bool:
        return workload.kind in _REPLICATING and self.factory.has_pods(workload)

    def _expand(self, workload: api.Workload) -> None:
        match workload.kind:
            case "Deployment":
                self._deployment(workload)
            case "StatefulSet":
                self._stateful_set(workload)
            case "DaemonSet":
                self._daemon_set(workload)
            case "Job":
                self._job(workload)
            case "CronJob":
                self._cron_job(workload)
            case _:
                self._replicas(workload, workload, len(self.factory.active(workload)))

    def _replicas(self, owner: api.Workload, named: api.Workload, existing: int) -> None:
        """Create what `named` lacks; a Deployment gives its pods its name, not its ReplicaSet's."""
        _check_selector(owner)
        wanted = 1 if named.spec.replicas is None else named.spec.replicas
        self._check_room(named, "spec.replicas", wanted - existing)
        names = self.factory.free_names(named)
        for _ in range(wanted - existing):
            self.factory.create(owner, next(names), owner.spec.template)

    def _deployment(self, deployment: api.Workload) -> None:
        _check_selector(deployment)
        owned = [rs for rs in self.replica_sets if _controls(deployment, rs)]
        existing = sum(len(self.factory.active(rs)) for rs in owned)
        current = next((rs for rs in owned if rs.spec.template.spec == deployment.spec.template.spec), None)
        if current is None:
            current = _replica_set(deployment)
            self.workloads.append(current)
        self._replicas(current, deployment, existing)

    def _stateful_set(self, workload: api.Workload) -> None:
        _check_selector(workload)
        replicas = 1 if workload.spec.replicas is None else workload.spec.replicas
        self._check_room(workload, "spec.replicas", replicas)
        start = workload.spec.ordinals.start if workload.spec.ordinals else 0
        for ordinal in range(start, start + replicas):
            name = f"{workload.metadata.name}-{ordinal}"
            self.factory.add_claims(claims_of(workload, ordinal))
            if self.factory.vacant(workload, name):
                labels = {
                    "statefulset.kubernetes.io/pod-name": name,
                    "apps.kubernetes.io/pod-index": str(ordinal),
                }
                spec = with_claims(workload, ordinal)
                self.factory.create(workload, name, workload.spec.template, spec=spec, labels=labels)

    def _daemon_set(self, workload: api.Workload) -> None:
        _check_selector(workload)
        names = self.factory.free_names(workload)
        manned = self.factory.manned_nodes(workload)
        for node, spec in daemon_specs(workload.spec.template, self.cluster.nodes):
            if node not in manned:
                self._check_room(workload, "spec.template", 1)
                self.factory.create(workload, next(names), workload.spec.template, spec=spec)

    def _job(self, workload: api.Workload) -> None:
        spec = workload.spec
        if spec.suspend:
            return
        succeeded, active = self.factory.succeeded(workload), len(self.factory.active(workload))
        parallelism = 1 if spec.parallelism is None else spec.parallelism
        if spec.completions is not None:
            wanted = min(parallelism, spec.completions - succeeded)
        elif spec.parallelism is None:
            wanted = 1 - succeeded
        else:
            wanted = 0 if succeeded else parallelism
        self._check_room(workload, "spec.parallelism", wanted - active)
        labels = {"batch.kubernetes.io/job-name": workload.metadata.name, "job-name": workload.metadata.name}
        names = self.factory.free_names(workload)
        for _ in range(wanted - active):
            self.factory.create(workload, next(names), spec.template, labels=labels)

    def _cron_job(self, workload: api.Workload) -> None:
        template = workload.spec.job_template
        if workload.spec.suspend or template is None:
            return
        names = (f"{workload.metadata.name}-{number}" for number in range(len(self.known) + 1))
        name = next(n for n in names if f"Job/{workload.metadata.namespace}/{n}" not in self.known)
        job = identified(_owned(workload, "Job", name, template.metadata.labels, template.spec))
        self.known.add(job.key)
        self.workloads.append(job)
        self._job(job)

    def _check_room(self, workload: api.Workload, field: str, more: int) -> None:
        total = len(self.factory.pods) + max(more, 0)
        if total > MOST_PODS:
            message = f"leads to {total} new pods, and {MOST_PODS} are the most; write a smaller number"
            raise BadInput(message, object=workload.key, field=field)

    def _warnings(self) -> Iterator[Warning]:
        waiting = [w for w in self.cluster.workloads if w.kind == "CronJob"]
        if waiting and not self.cronjobs:
            message = f"{len(waiting)} CronJobs run no pod here; ask for them with cronjobs (--cronjobs)"
            yield Warning("not-expanded", waiting[0].key, "", message)
        for workload in self.cluster.workloads:
            wanted, active = workload.spec.replicas or 0, len(self.factory.active(workload))
            if (
                not self.everything
                and not workload.metadata.uid
                and self._shown_with_pods(workload)
                and active < wanted
            ):
                message = (
                    f"it is taken as a snapshot, with {active} of {wanted} pods of its own; none are added"
                )
                yield Warning("not-expanded", workload.key, "spec.replicas", message)


def _controls(owner: api.Workload, owned: api.Workload) -> bool:
    reference = owned.metadata.controller
    return (
        reference is not None
        and (reference.kind, reference.name) == (owner.kind, owner.metadata.name)
        and owned.metadata.namespace == owner.metadata.namespace
    )


def _check_selector(workload: api.Workload) -> None:
    selector, labels = workload.spec.selector, workload.spec.template.metadata.labels
    if selector is None and workload.kind != "ReplicationController":
        raise BadInput(
            "is missing; it must select the template's labels", object=workload.key, field="spec.selector"
        )
    if selector is not None and not selects(selector, labels):
        message = f"does not select the template's own labels {dict(labels)}; make them agree"
        raise BadInput(message, object=workload.key, field="spec.selector")


def _replica_set(deployment: api.Workload) -> api.Workload:
    """What the Deployment controller would create: the template and selector with a hash of the template."""
    template = deployment.spec.template
    digest = hashlib.sha256(template.model_dump_json().encode()).hexdigest()[:10]
    labels = {**template.metadata.labels, HASH_LABEL: digest}
    metadata = template.metadata.model_copy(update={"labels": labels})
    selector = deployment.spec.selector or api.LabelSelector()
    spec = deployment.spec.model_copy(
        update={
            "template": template.model_copy(update={"metadata": metadata}),
            "selector": selector.model_copy(
                update={"match_labels": {**selector.match_labels, HASH_LABEL: digest}}
            ),
        }
    )
    return identified(_owned(deployment, "ReplicaSet", f"{deployment.metadata.name}-{digest}", labels, spec))


def _owned(
    owner: api.Workload, kind: str, name: str, labels: dict[str, str], spec: api.WorkloadSpec
) -> api.Workload:
    reference = api.OwnerReference(
        kind=owner.kind, name=owner.metadata.name, uid=owner.metadata.uid, controller=True
    )
    metadata = api.ObjectMeta(
        name=name, namespace=owner.metadata.namespace, labels=labels, owner_references=(reference,)
    )
    return api.Workload(kind=kind, metadata=metadata, spec=spec)
