"""Pods and claims made from templates, past those that are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from ..model import api
from ..model.cluster import Cluster
from ..model.labels import selects
from .daemon_pods import pinned_node

_MADE_HERE = "kubestow/"
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


class PodFactory:
    """Makes pods for the controllers of a cluster.

    Attributes
    ----------
    pods : list of Pod
        Made so far.
    claims : list of PersistentVolumeClaim
        Made so far, for StatefulSets and ephemeral volumes.
    replaced : set of int
        Identities of completed pods whose names were given to new ones.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.pods: list[api.Pod] = []
        self.claims: list[api.PersistentVolumeClaim] = []
        self.replaced: set[int] = set()
        self._by_key = dict(cluster.pod_by_key)
        self._claimed = set(cluster.claims)
        self._class = _default_class(cluster)
        self._orphans: list[api.Pod] = []
        self._owned: dict[tuple[str, str, str], list[api.Pod]] = {}
        for pod in cluster.pods:
            owner = pod.metadata.controller
            if owner is None:
                self._orphans.append(pod)
            else:
                self._owned.setdefault((owner.kind, pod.namespace, owner.name), []).append(pod)

    def owned(self, workload: api.Workload) -> list[api.Pod]:
        """The pods read that the workload controls."""
        metadata = workload.metadata
        pods = self._owned.get((workload.kind, metadata.namespace, metadata.name), [])
        return [pod for pod in pods if _same_owner(pod, metadata.uid)]

    def active(self, workload: api.Workload) -> list[api.Pod]:
        """Those that its controller counts: neither completed nor being deleted."""
        return [pod for pod in self.owned(workload) if not pod.completed and not pod.terminating]

    def has_pods(self, workload: api.Workload) -> bool:
        """Whether any pod read is controlled by the workload, or by nobody and selected by it."""
        selector, namespace = workload.spec.selector, workload.metadata.namespace
        return bool(self.owned(workload)) or any(
            pod.namespace == namespace and selects(selector, pod.labels) for pod in self._orphans
        )

    def succeeded(self, workload: api.Workload) -> int:
        """How many pods of a Job have succeeded, as far as its status or the pods know."""
        pods = sum(pod.status.phase == "Succeeded" for pod in self.owned(workload))
        return max(pods, workload.status.succeeded)

    def manned_nodes(self, workload: api.Workload) -> set[str | None]:
        """The nodes on which a DaemonSet has a pod, or one that is made for them."""
        return {pinned_node(pod) for pod in self.owned(workload) if not pod.completed}

    def free_names(self, workload: api.Workload) -> Iterator[str]:
        """``<workload>-<ordinal>``, those that are taken left out."""
        namespace = workload.metadata.namespace
        names = (f"{workload.metadata.name}-{ordinal}" for ordinal in count())
        return (name for name in names if f"{namespace}/{name}" not in self._by_key)

    def vacant(self, workload: api.Workload, name: str) -> bool:
        """Whether a StatefulSet lacks the pod `name`; a completed one makes room for it."""
        there = self._by_key.get(f"{workload.metadata.namespace}/{name}")
        if there is None:
            return True
        if not there.completed or there not in self.owned(workload):
            return False
        self.replaced.add(id(there))
        return True

    def create(
        self,
        owner: api.Workload,
        name: str,
        template: api.PodTemplateSpec,
        *,
        spec: api.PodSpec | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """Make one pod, with the claims of its ephemeral volumes."""
        namespace = owner.metadata.namespace
        metadata = api.ObjectMeta(
            name=name,
            namespace=namespace,
            uid=_uid("Pod", namespace, name),
            labels={**template.metadata.labels, **(labels or {})},
            annotations=template.metadata.annotations,
            owner_references=(_reference(owner.kind, owner.metadata),),
        )
        pod = api.Pod(metadata=metadata, spec=spec or template.spec, node_name=template.node_name)
        self._by_key[pod.key] = pod
        self.pods.append(pod)
        self.add_claims(_ephemeral_claims(pod))

    def add_claims(self, claims: Iterable[api.PersistentVolumeClaim]) -> None:
        """Add the claims that are not there, with the default storage class where they name none."""
        for claim in claims:
            if claim.key in self._claimed:
                continue
            self._claimed.add(claim.key)
            if claim.spec.storage_class_name is None and self._class:
                spec = claim.spec.model_copy(update={"storage_class_name": self._class})
                claim = claim.model_copy(update={"spec": spec})
            self.claims.append(claim)


def identified(workload: api.Workload) -> api.Workload:
    """The workload with a uid, so that its pods can refer to it."""
    metadata = workload.metadata
    if metadata.uid:
        return workload
    uid = _uid(workload.kind, metadata.namespace, metadata.name)
    return workload.model_copy(update={"metadata": metadata.model_copy(update={"uid": uid})})


def claims_of(workload: api.Workload, ordinal: int) -> Iterator[api.PersistentVolumeClaim]:
    """The claims of one pod of a StatefulSet: ``<template>-<workload>-<ordinal>``."""
    selector = workload.spec.selector
    for template in workload.spec.volume_claim_templates:
        metadata = template.metadata.model_copy(
            update={
                "name": _claim_name(template, workload, ordinal),
                "namespace": workload.metadata.namespace,
                "labels": {**template.metadata.labels, **(selector.match_labels if selector else {})},
            }
        )
        yield api.PersistentVolumeClaim(metadata=metadata, spec=template.spec)


def with_claims(workload: api.Workload, ordinal: int) -> api.PodSpec:
    """The template's spec with this pod's claims as volumes, in place of volumes of the same name."""
    spec = workload.spec.template.spec
    templates = workload.spec.volume_claim_templates
    if not templates:
        return spec
    names = {template.metadata.name for template in templates}
    mounted = [
        api.Volume.model_validate(
            {
                "name": template.metadata.name,
                "persistentVolumeClaim": {"claimName": _claim_name(template, workload, ordinal)},
            }
        )
        for template in templates
    ]
    kept = [volume for volume in spec.volumes if volume.name not in names]
    return spec.model_copy(update={"volumes": (*kept, *mounted)})


def _claim_name(template: api.PersistentVolumeClaimTemplate, workload: api.Workload, ordinal: int) -> str:
    return f"{template.metadata.name}-{workload.metadata.name}-{ordinal}"


def _ephemeral_claims(pod: api.Pod) -> Iterator[api.PersistentVolumeClaim]:
    for volume in pod.spec.volumes:
        template = volume.ephemeral.volume_claim_template if volume.ephemeral else None
        if template is not None:
            metadata = template.metadata.model_copy(
                update={
                    "name": f"{pod.name}-{volume.name}",
                    "namespace": pod.namespace,
                    "owner_references": (_reference("Pod", pod.metadata),),
                }
            )
            yield api.PersistentVolumeClaim(metadata=metadata, spec=template.spec)


def _reference(kind: str, metadata: api.ObjectMeta) -> api.OwnerReference:
    return api.OwnerReference(kind=kind, name=metadata.name, uid=metadata.uid, controller=True)


def _uid(kind: str, namespace: str, name: str) -> str:
    return f"{_MADE_HERE}{kind}/{namespace}/{name}"


def _same_owner(pod: api.Pod, uid: str) -> bool:
    owner = pod.metadata.controller
    return owner is not None and (not owner.uid or uid.startswith(_MADE_HERE) or owner.uid == uid)


def _default_class(cluster: Cluster) -> str | None:
    marked = [c for c in cluster.storage_classes if c.metadata.annotations.get(_DEFAULT_CLASS) == "true"]
    newest = max(marked, key=lambda c: (c.metadata.creation_timestamp or 0, c.name), default=None)
    return newest.name if newest else None
