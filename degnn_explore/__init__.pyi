"""What a type checker and an editor see of :mod:`degnn_explore`; ``__init__`` imports the same names when used."""

from . import theory as theory
from .common.errors import GraphError as GraphError
from .common.errors import ParameterError as ParameterError
from .common.errors import TargetError as TargetError
from .encodings.paths import DRNL as DRNL
from .encodings.paths import SPD as SPD
from .encodings.walks import GeneralizedPageRank as GeneralizedPageRank
from .encodings.walks import HeatKernel as HeatKernel
from .encodings.walks import LandingProbability as LandingProbability
from .encodings.walks import PageRank as PageRank
from .engine.egonets import blocks as blocks
from .engine.egonets import ego_networks as ego_networks
from .expressive.refinement import colours as colours
from .expressive.subtrees import Subtree as Subtree
from .expressive.subtrees import compare as compare
from .expressive.subtrees import unroll as unroll
from .expressive.summary import Summary as Summary
from .expressive.summary import summary as summary
from .expressive.verdicts import Verdict as Verdict
from .expressive.verdicts import distinguish as distinguish
from .graphs import zoo as zoo
from .graphs.graph import Cleaning as Cleaning
from .graphs.graph import Graph as Graph
from .installation import about as about
from .learn.nets import build as build
from .learn.nets import models as models
from .learn.predicting import predict as predict
from .learn.saving import load_model as load_model
from .learn.saving import save as save
from .learn.tasks import Task as Task
from .learn.tasks import link_task as link_task
from .learn.tasks import role_task as role_task
from .learn.tasks import set_task as set_task
from .learn.tasks import triangle_task as triangle_task
from .learn.training import Epoch as Epoch
from .learn.training import fit as fit
from .learn.training import summarise as summarise
from .learn.why.explaining import Explanation as Explanation
from .learn.why.explaining import explain as explain
from .quiz import check as check
from .reading.catalogue import datasets as datasets
from .reading.catalogue import load as load
from .reading.read import read_graph as read_graph
from .study.judged import set_distance as set_distance
from .study.missing_links import missing_links as missing_links
from .study.storage.store import Store as Store
from .study.tuning import tune as tune
from .views.board.board import TrainingBoard as TrainingBoard
from .views.explorer.explorer import Explorer as Explorer

__version__: str
__all__: list[str]
